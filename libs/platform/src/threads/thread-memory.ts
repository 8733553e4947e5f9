import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/** Megabytes for new objects. A thread's work is seldom answered at once: it may collect garbage often, and keep little. */
const YOUNG_MB = 4;

/** Limits of a thread's heap. @param oldMb megabytes of what it keeps, so that garbage goes before it is several times as much */
export const threadMemory = (oldMb?: number): ResourceLimits => ({
  maxYoungGenerationSizeMb: YOUNG_MB,
  ...(oldMb === undefined ? {} : { maxOldGenerationSizeMb: oldMb }),
});

/** Settings of glibc's allocator, read when the process began: they suit this process, and not the programs that it starts. */
const ALLOCATOR = ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'];

/** Keeps what the process was started with for itself. */
export function keepMemorySettings(): void {
  letThreadsHaveTheirLimits();
  for (const name of ALLOCATOR) delete process.env[name];
}

/** The process's `--max-semi-space-size`, which its main heap has by now, would overrule the limits of every thread. */
function letThreadsHaveTheirLimits(): void {
  setFlagsFromString('--max-semi-space-size=0');
}
