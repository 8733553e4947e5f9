/** What is loaded once and kept; a failed try is not, so that the next call tries again. Calls at the same time share one try. */
export function keepSuccess<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () =>
    (kept ??= load().catch((error: unknown) => {
      kept = undefined;
      throw error;
    }));
}
