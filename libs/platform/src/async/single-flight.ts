/** Calls made while one runs share its outcome; the next call after it runs again. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work().finally(() => (running = undefined)));
}

/** Loads a value once and keeps it; a failure is not kept, so that the next call tries again. Concurrent calls share one attempt. */
export function keepSuccess<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () =>
    (kept ??= load().catch((error: unknown) => {
      kept = undefined;
      throw error;
    }));
}
