import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Makes the items in the context of this call of the function. Within one process, the callee's loop would otherwise make them in the
 * context of the callee's call, and what the caller does meanwhile would be canceled when that call is over.
 */
export function inCallersContext<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  const run = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => run(() => iterator.next()),
        return: async (value: unknown) => run(() => iterator.return?.(value)) ?? { done: true, value: undefined },
      };
    },
  };
}
