/**
 * The items, until the signal aborts: then its reason is thrown at once, also while the next item is not coming.
 * (Node's `pipeline` waits for the iterable's turn to end.)
 */
export async function* interruptible<Item>(items: AsyncIterable<Item>, signal: AbortSignal | undefined): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  let interrupt = (_reason: unknown): void => {};
  const onAbort = () => interrupt(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      // Not Promise.race with one promise of the abort: that promise would keep a reference to every item until it settles.
      const next = await new Promise<IteratorResult<Item>>((resolve, reject) => {
        interrupt = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Not awaited: an input that stalls never answers.
    iterator.return?.().catch(() => {});
  }
}
