import { taskGroup } from '@parlance/stage';
import type { NewTask } from '@parlance/task-queue';
import type { PlannedChunk } from '@parlance/transcript';

/** The queue of chunks. */
export const CHUNK_QUEUE = 'transcription';

/** A chunk to transcribe. The plan has its position in the media and the options for the engine. */
export interface ChunkTask {
  jobId: string;
  accountId: string;
  run: number;
  index: number;
  total: number;
  planKey: string;
}

export function chunkTask(payload: ChunkTask, chunk?: PlannedChunk): NewTask<ChunkTask> {
  const { jobId, accountId, run, index } = payload;
  return { id: `${jobId}/${run}/${index}`, accountId, group: taskGroup(payload), payload, ...(chunk && { audioSeconds: chunk.end - chunk.start }) };
}
