import { AppError } from '@parlance/platform';
import { whenAborted } from './when-aborted.js';

export interface AttemptLimits {
  /** Milliseconds until the signal aborts and the try counts as failed. */
  deadlineMs: number;
  /** Milliseconds that a handler has to end after its signal was aborted; then nobody waits for it any longer. */
  graceMs: number;
  /** Aborted when the subscription closes. */
  closing: AbortSignal;
  /** Aborted some time before; a handler that throws its reason has given the event back. */
  draining: AbortSignal;
}

export type AttemptOutcome =
  | { outcome: 'done' }
  | { outcome: 'failed'; error: unknown }
  /** The subscription closed first; the event is to be delivered again. */
  | { outcome: 'interrupted' };

/** Runs a handler once, within its time; never throws. */
export async function attemptDelivery(
  handler: (signal: AbortSignal) => Promise<void>,
  { deadlineMs, graceMs, closing, draining }: AttemptLimits,
): Promise<AttemptOutcome> {
  if (closing.aborted) return { outcome: 'interrupted' };
  const controller = new AbortController();
  let overdue: AppError | undefined;
  let graceTimer: NodeJS.Timeout | undefined;
  let giveUp: () => void;
  const givenUp = new Promise<'given up'>((resolve) => (giveUp = () => resolve('given up')));

  const abort = (reason: unknown) => {
    controller.abort(reason);
    graceTimer ??= setTimeout(giveUp, graceMs);
  };
  const deadlineTimer = setTimeout(() => {
    overdue = handlerTimeout(deadlineMs);
    abort(overdue);
  }, deadlineMs);
  const listenNoMore = whenAborted(closing, () => abort(closing.reason));

  try {
    const ending = await Promise.race([invoke(handler, controller.signal), givenUp]);
    if (overdue) return { outcome: 'failed', error: overdue };
    return { outcome: ending === 'given up' ? 'interrupted' : 'done' };
  } catch (error) {
    if (overdue) return { outcome: 'failed', error: overdue };
    const givenBack = draining.aborted && error === draining.reason;
    return closing.aborted || givenBack ? { outcome: 'interrupted' } : { outcome: 'failed', error };
  } finally {
    clearTimeout(deadlineTimer);
    clearTimeout(graceTimer);
    listenNoMore();
  }
}

async function invoke(handler: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<'done'> {
  await handler(signal);
  return 'done';
}

const handlerTimeout = (deadlineMs: number): AppError =>
  new AppError({ kind: 'timeout', code: 'handler_timeout', message: `The handler did not end within ${deadlineMs} ms.` });
