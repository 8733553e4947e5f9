/** Whether what was read is still as it was read. What gives one knows of every change: nobody needs to look again. */
export interface Freshness {
  readonly isFresh: boolean;
}

const known = new WeakMap<object, Freshness>();

/** Sends the freshness along with what it is about. @returns the same object */
export function withFreshness<T extends object>(read: T, freshness: Freshness | undefined): T {
  if (freshness) known.set(read, freshness);
  return read;
}

/** Undefined: others may change it unheard, as on a server or in another process. */
export const freshnessOf = (read: object): Freshness | undefined => known.get(read);
