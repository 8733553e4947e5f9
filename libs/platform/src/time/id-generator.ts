import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

export type IdPrefix = 'job' | 'acc' | 'sgn' | 'key' | 'evt' | 'dlv' | 'sum' | 'cht' | 'era' | 'whe' | 'rdl' | 'upl' | 'tok' | 'voc' | 'req' | 'bat' | 'rev' | 'prj' | 'lnk' | 'exp';

/** Opaque, prefixed, sortable by time: a ULID behind the prefix. */
export interface IdGenerator {
  next(prefix: IdPrefix): string;
}

export function ulidGenerator(): IdGenerator {
  const ulid = monotonicFactory(pooledRandom());
  return { next: (prefix) => `${prefix}_${ulid().toLowerCase()}` };
}

/** Cryptographic random fractions; the library alone asks the system for each character, which costs more than the rest of an id. */
function pooledRandom(): () => number {
  const pool = new Uint8Array(4096);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used] ?? 0;
    used += 1;
    return byte / 256;
  };
}
