import { AppError, pause, retryDelay, Slots } from '@parlance/platform';
import { KeyServiceRefusal, keysUnavailable, wrongKey } from '../keys-unavailable.js';
import type { KeyFault, KeyOperation, ServiceKey } from './service-key.js';

/** Milliseconds; time-outs of the service's own client are longer, so that these ones decide. */
interface CallLimits {
  tryMs: number;
  /** All tries of a call together. */
  callMs: number;
  backoff: { initialDelayMs: number; maxDelayMs: number };
  /** After a call without an answer others fail at once for so long: requests do not pile up behind a service that is away. */
  restMs: number;
}

const LIMITS: CallLimits = { tryMs: 4_000, callMs: 10_000, backoff: { initialDelayMs: 200, maxDelayMs: 2_000 }, restMs: 1_000 };
const MAX_TRIES = 3;
/** A rotation unwraps and wraps hundreds of keys at once, and services limit the rate of calls. */
const CALLS_AT_A_TIME = 16;

/** Calls of a key service: limited in time and number, tried again, and with the errors of the port. */
export class GuardedCalls {
  private readonly slots = new Slots(CALLS_AT_A_TIME);
  private awayUntil = -Infinity;

  constructor(
    private readonly key: ServiceKey,
    private readonly limits: CallLimits = LIMITS,
  ) {}

  /** Calls until the service answers, three times at most. @throws AppError unavailable/keys_unavailable */
  run<R>(operation: KeyOperation, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
    return this.slots.run(() => this.tried(operation, call));
  }

  private async tried<R>(operation: KeyOperation, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
    if (performance.now() < this.awayUntil) throw this.errorOf('away', undefined);
    const overdue = AbortSignal.timeout(this.limits.callMs);
    for (let tries = 1; ; tries += 1) {
      try {
        return await inTime(call, AbortSignal.any([overdue, AbortSignal.timeout(this.limits.tryMs)]));
      } catch (error) {
        if (error instanceof AppError) throw error;
        const fault = this.key.faultOf(error, operation);
        const canPass = fault === 'away' || fault === 'busy';
        if (!canPass || tries === MAX_TRIES || overdue.aborted) throw this.failure(fault, error);
      }
      await pause(retryDelay(tries, this.limits.backoff, Math.random()), overdue);
    }
  }

  /** Calls once: what is done twice may do harm. @param limitMs milliseconds */
  async once<R>(operation: KeyOperation, limitMs: number, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
    try {
      return await inTime(call, AbortSignal.timeout(limitMs));
    } catch (error) {
      throw error instanceof AppError ? error : this.errorOf(this.key.faultOf(error, operation), error);
    }
  }

  private failure(fault: KeyFault, cause: unknown): AppError {
    if (fault === 'away') this.awayUntil = performance.now() + this.limits.restMs;
    return this.errorOf(fault, cause);
  }

  private errorOf(fault: KeyFault, cause: unknown): AppError {
    const service = `The key service (${this.key.scheme})`;
    switch (fault) {
      case 'away':
        return keysUnavailable(`${service} is unavailable.`, cause);
      case 'busy':
        return keysUnavailable(`${service} limits the rate of calls.`, cause);
      case 'forbidden':
        return new KeyServiceRefusal(`${service} refused the credentials, or they lack a permission for the key.`, cause);
      case 'no_key':
        return new KeyServiceRefusal(`${service} does not have the key, or it is disabled, or it cannot encrypt.`, cause);
      case 'not_wrapped':
        return wrongKey(`${service} has another master key than the one that wrapped a key.`, cause);
    }
  }
}

/** Rejects when the signal aborts, although the call may still run: clients do not take a signal for their search for credentials. */
function inTime<R>(call: (signal: AbortSignal) => Promise<R>, signal: AbortSignal): Promise<R> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([call(signal), aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
