/**
 * Applies `use` synchronously when `value` is not a promise, and when it resolves otherwise. Every request takes this path, and
 * a promise costs more than the work between two of them.
 */
export const thenSync = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> => (value instanceof Promise ? value.then(use) : use(value));
