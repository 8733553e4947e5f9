import type { CallOptions } from '@parlance/contracts';
import { AppError, currentCallScope } from '@parlance/platform';

const UNARY_TIMEOUT_MS = 10_000;
const STREAM_TIMEOUT_MS = 600_000;

export interface CallLimits {
  /** Milliseconds since the epoch. */
  deadline: number;
  /** The call is canceled when any of them aborts. */
  signals: readonly AbortSignal[];
}

/** The limits of a call: those of its own options, and those of the incoming call that it is made for. */
export function callLimits({ timeoutMs, signal }: CallOptions, isStream: boolean): CallLimits {
  const scope = currentCallScope();
  const own = Date.now() + (timeoutMs ?? (isStream ? STREAM_TIMEOUT_MS : UNARY_TIMEOUT_MS));
  return { deadline: Math.min(own, scope?.deadline ?? Infinity), signals: [signal, scope?.signal].filter((each) => each !== undefined) };
}

/** Calls the listener once, immediately when a signal has already aborted. @returns a function that removes the listener */
export function onAbort(signals: readonly AbortSignal[], listener: () => void): () => void {
  for (const signal of signals) signal.addEventListener('abort', listener, { once: true });
  if (signals.some(({ aborted }) => aborted)) listener();
  return () => signals.forEach((signal) => signal.removeEventListener('abort', listener));
}

export const callCanceled = (): AppError => new AppError({ kind: 'canceled', code: 'canceled', message: 'The call was canceled.' });

const NO_ANSWER = 'A part of the service does not answer; try again.';

export const callTimedOut = (): AppError => new AppError({ kind: 'timeout', code: 'service_unavailable', message: NO_ANSWER });

export const serviceUnavailable = (): AppError => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: NO_ANSWER });
