import type { FairPlaces } from '@parlance/event-bus';

interface PlaceRequest {
  places: FairPlaces;
  /** Milliseconds that a call waits for a place. */
  waitMs: number;
  /** The error of a call that found none. */
  refusal: () => Error;
  signal: AbortSignal;
}

/** Takes a place for work that a stream does, and that therefore is no promise. @returns what gives the place back @throws the refusal when no place is free in time */
export async function takePlace(accountId: string, { places, waitMs, refusal, signal }: PlaceRequest): Promise<() => void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(refusal()), waitMs);
  const [taken, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = places.run(accountId, AbortSignal.any([signal, late.signal]), () => {
    taken.resolve();
    return left.promise;
  });
  try {
    await Promise.race([taken.promise, held]);
  } finally {
    clearTimeout(timer);
  }
  return left.resolve;
}
