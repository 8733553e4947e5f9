/** Those that `scripts/run-product.mjs` and `deploy/entrypoint` give the product. */
export const NODE_FLAGS = ['--enable-source-maps', '--max-semi-space-size=8', '--heap-growing-percent=30'];

/**
 * Those of a start. `npm test` goes without source maps, which take a seventh of a start and which no test reads, and collects
 * garbage less often: that takes another seventh.
 */
export const START_FLAGS = process.env['TEST_SOURCE_MAPS'] === 'off' ? ['--min-semi-space-size=32', '--max-semi-space-size=32'] : NODE_FLAGS;

/** Their settings of glibc's allocator, which gives freed memory back to the system: a hundred megabytes of a long recording. */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_TRIM_THRESHOLD_: '65536' };

/** The part of this process's environment that a child process gets; the compile cache of `scripts/test.mjs` saves a tenth of each start. */
export const childEnvironment = (): Record<string, string | undefined> => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...ALLOCATOR };
};
