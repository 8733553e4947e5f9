import type { common } from '@parlance/contracts';
import { DEFAULT_MODEL } from '@parlance/engines';
import { stageFailure } from '@parlance/platform';
import { isBackground, taskGroup } from '@parlance/stage';
import type { NewTask } from '@parlance/task-queue';
import { clockTime, type PlannedChunk } from '@parlance/transcript';

/**
 * The queue of the chunks for one speech engine. Each engine has its own, so that a busy one does not delay the chunks of the
 * others, and a worker without an engine leaves its chunks to those that have it.
 */
export const chunkQueue = (model: string = DEFAULT_MODEL): string => (model === DEFAULT_MODEL ? 'transcription' : `transcription.${model}`);

/** A chunk to transcribe. The plan has its position in the media and the options for the engine. */
export interface ChunkTask {
  jobId: string;
  accountId: string;
  run: number;
  index: number;
  total: number;
  planKey: string;
}

export function chunkTask(payload: ChunkTask, chunk?: PlannedChunk, options?: common.JobOptions): NewTask<ChunkTask> {
  const { jobId, accountId, run, index } = payload;
  return { id: `${jobId}/${run}/${index}`, accountId, group: taskGroup(payload), isBackground: isBackground(options), payload, ...(chunk && { audioSeconds: chunk.end - chunk.start }) };
}

/** Why a job fails, with the chunk's place in the media: `Chunk 3 of 12 (00:01:00–00:01:30) …`. */
export function describeChunkFailure({ index, total }: ChunkTask, chunk: PlannedChunk | undefined, thrown: unknown): common.Failure {
  const { message, ...failure } = stageFailure(thrown);
  const channel = chunk?.channel === undefined ? '' : `channel ${chunk.channel}, `;
  const position = chunk ? ` (${channel}${clockTime(chunk.start)}–${clockTime(chunk.end)})` : '';
  return { ...failure, message: `Chunk ${index + 1} of ${total}${position} could not be transcribed: ${message}` };
}
