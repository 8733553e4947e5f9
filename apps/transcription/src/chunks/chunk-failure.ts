import type { common } from '@parlance/contracts';
import { stageFailure } from '@parlance/platform';
import { clockTime, type PlannedChunk } from '@parlance/transcript';
import type { ChunkTask } from './chunk-task.js';

/** Why a job fails, with the chunk's place in the media: `Chunk 3 of 12 (00:01:00–00:01:30) …`. */
export function describeChunkFailure({ index, total }: ChunkTask, chunk: PlannedChunk | undefined, thrown: unknown): common.Failure {
  const { message, ...failure } = stageFailure(thrown);
  const position = chunk ? ` (${clockTime(chunk.start)}–${clockTime(chunk.end)})` : '';
  return { ...failure, message: `Chunk ${index + 1} of ${total}${position} could not be transcribed: ${message}` };
}
