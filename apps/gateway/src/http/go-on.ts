/** Goes on at once with a value that is there, and with one that has to be waited for when it comes: on a way that every request takes, promises cost more than what is between them. */
export const goOn = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> => (value instanceof Promise ? value.then(use) : use(value));
