import { AsyncLocalStorage } from 'node:async_hooks';

/** The incoming call that work is done for: calls made on its behalf end with it. */
export interface CallScope {
  /** Milliseconds since the epoch; Infinity when the caller waits for as long as it takes. */
  deadline: number;
  /** Aborts when the caller has given up. */
  signal: AbortSignal;
}

const storage = new AsyncLocalStorage<CallScope>();

/** Runs the method that answers an incoming call; the calls of other services that it makes inherit deadline and cancellation. */
export const inCallScope = <T>(scope: CallScope, run: () => T): T => storage.run(scope, run);

export const currentCallScope = (): CallScope | undefined => storage.getStore();
