import { availableParallelism, totalmem } from 'node:os';
import { DEFAULT_FEED_LIMITS } from '../sandbox.js';

/** Decoding takes about a hundredth of a core, starting a decoder a tenth of a second of one. */
const PER_CORE = 16;
const PART_OF_MEMORY = 1 / 4;

/** Live decoders of a process for which no number is set: all at their limit fill a quarter of its memory. */
export function defaultLiveDecoders(cores = availableParallelism(), memoryBytes = ownMemory()): number {
  const fitting = Math.floor((memoryBytes * PART_OF_MEMORY) / (DEFAULT_FEED_LIMITS.dataBytes as number));
  return Math.max(1, Math.min(cores * PER_CORE, fitting));
}

/** Bytes that the process may use: the limit of its container, or what the machine has. */
const ownMemory = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem());
