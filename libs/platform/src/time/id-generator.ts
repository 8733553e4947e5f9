import { monotonicFactory } from 'ulid';

export type IdPrefix = 'job' | 'acc' | 'key' | 'evt' | 'dlv' | 'sum' | 'cht' | 'era' | 'whe' | 'req';

/** Opaque, prefixed, sortable by time: a ULID behind the prefix. */
export interface IdGenerator {
  next(prefix: IdPrefix): string;
}

export function ulidGenerator(): IdGenerator {
  const ulid = monotonicFactory();
  return { next: (prefix) => `${prefix}_${ulid().toLowerCase()}` };
}
