/** Loads a value once and keeps it; a failure is not kept, so that the next call tries again. Concurrent calls share one attempt. */
export function keepSuccess<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () =>
    (kept ??= load().catch((error: unknown) => {
      kept = undefined;
      throw error;
    }));
}
