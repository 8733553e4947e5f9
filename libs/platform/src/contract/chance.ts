import { createHash, randomInt } from 'node:crypto';

/** Holds for everything that tests leave to chance. */
const FOR_ALL = 'CHANCE_SEED';
const SEEDS = 2 ** 31;

/**
 * Returns the seed that is set: by the variable of one kind of test, else by `CHANCE_SEED`.
 * @throws Error when it is not a whole number
 */
export function fixedSeed(variable: string = FOR_ALL): number | undefined {
  const name = [variable, FOR_ALL].find((each) => (process.env[each] ?? '') !== '');
  if (name === undefined) return undefined;
  const seed = Number(process.env[name]);
  if (!Number.isSafeInteger(seed)) throw new Error(`${name} is a whole number`);
  return seed;
}

let fresh: number | undefined;

/** Returns the seed that is set, else a fresh one, the same for the whole spec file. The caller prints it. */
export function seedOf(variable?: string): number {
  return fixedSeed(variable) ?? (fresh ??= randomInt(SEEDS));
}

/** mulberry32. @returns numbers from 0 up to 1, the same for the same seed */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Chance for one spec, which does not depend on what other specs draw: the same `CHANCE_SEED` gives the same cases in each run.
 * When none is set, the fresh one is printed.
 */
export function chanceFor(spec: string): { seed: number; random: () => number } {
  const seed = seedOf();
  if (fixedSeed() === undefined) process.stdout.write(`${spec}: ${FOR_ALL}=${seed}\n`);
  return { seed, random: randomFrom(createHash('sha256').update(`${seed} ${spec}`).digest().readInt32BE()) };
}
