/**
 * The chunks, until the signal aborts: then its reason is thrown at once, also while the next chunk is not coming.
 * (Node's `pipeline` waits for the iterable's turn to end.)
 */
export async function* interruptible(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let interrupt = (_reason: unknown): void => {};
  const onAbort = () => interrupt(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      // Not Promise.race with one promise of the abort: that promise would keep a reference to every chunk until it settles.
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        interrupt = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Not awaited: a body that stalls never answers.
    iterator.return?.().catch(() => {});
  }
}
