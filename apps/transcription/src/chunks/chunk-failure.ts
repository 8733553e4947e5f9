import type { common, events } from '@parlance/contracts';
import { AppError, toAppError } from '@parlance/platform';
import { clockTime, type PlannedChunk } from '@parlance/transcript';

const PUBLIC_CODES: ReadonlySet<string> = new Set(['engine_failed', 'engine_timeout', 'language_unsupported', 'storage_full']);

/** The engine said that another try would end alike. */
export const isFinal = (error: unknown): boolean => error instanceof AppError && !error.retryable && PUBLIC_CODES.has(error.code);

/** Why a job fails, with the chunk's place in the media: `Chunk 3 of 12 (00:01:00–00:01:30) …`. */
export function describeChunkFailure({ index, total }: events.ChunkRequested, chunk: PlannedChunk | undefined, thrown: unknown): common.Failure {
  const error = toAppError(thrown);
  const isPublic = PUBLIC_CODES.has(error.code);
  const position = chunk ? ` (${clockTime(chunk.start)}–${clockTime(chunk.end)})` : '';
  const cause = isPublic ? error.message : 'An internal error occurred.';
  return {
    code: isPublic ? error.code : 'internal',
    message: `Chunk ${index + 1} of ${total}${position} could not be transcribed: ${cause}`,
    retryable: error.retryable,
  };
}
