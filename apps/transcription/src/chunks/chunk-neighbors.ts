import type { ChunkCheckpoint } from './chunk-checkpoint.js';
import type { ChunkCheckpoints } from './chunk-checkpoints.js';

/** The chunk between those beside it on its channel, in order; undefined while one of them is not transcribed. */
export async function withNeighbors(checkpoints: Pick<ChunkCheckpoints, 'get'>, chunk: ChunkCheckpoint, chunksTotal: number): Promise<ChunkCheckpoint[] | undefined> {
  const before = await neighbors(checkpoints, chunk, -1, chunksTotal);
  const after = before && (await neighbors(checkpoints, chunk, 1, chunksTotal));
  return after && [...before, chunk, ...after];
}

/** One or none; undefined while it is not transcribed. */
async function neighbors(checkpoints: Pick<ChunkCheckpoints, 'get'>, { jobId, index, channel }: ChunkCheckpoint, step: 1 | -1, chunksTotal: number): Promise<ChunkCheckpoint[] | undefined> {
  for (let at = index + step; at >= 0 && at < chunksTotal; at += step) {
    const found = await checkpoints.get(jobId, at);
    if (!found) return undefined;
    if (found.channel === channel) return [found];
  }
  return [];
}
