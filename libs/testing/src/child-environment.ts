import { ALLOCATOR } from './node-flags.js';

/** The part of this process's environment that a child process gets; the compile cache of `scripts/test.mjs` saves a tenth of each start. */
export const childEnvironment = (): Record<string, string | undefined> => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...ALLOCATOR };
};
