import { AppError } from '../errors/app-error.js';

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Listens to a signal outside of its own listener list, in which adding one takes microseconds when thousands are added and
 * removed. @returns a function that stops listening
 */
function whenAborted(signal: AbortSignal, listener: () => void): () => void {
  const all = listeners.get(signal) ?? listen(signal);
  all.add(listener);
  return () => void all.delete(listener);
}

function listen(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  listeners.set(signal, all);
  signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
  return all;
}

interface AttemptLimits {
  /** Milliseconds until the signal aborts and the try counts as failed. */
  deadlineMs: number;
  /** Milliseconds that a handler has to end after its signal was aborted; after that it is abandoned. */
  graceMs: number;
  /** Aborts when the work is taken away or its subscription closes. */
  closing: AbortSignal;
  /** Aborts some time before `closing`; a handler that throws its reason has put the work back. */
  draining: AbortSignal;
}

export type AttemptOutcome =
  | { outcome: 'done' }
  | { outcome: 'failed'; error: unknown }
  /** `closing` aborted first; the work is to be done again. */
  | { outcome: 'interrupted' };

/** Runs a handler once, within its time; never throws. */
export async function attemptWork(
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
  const stopListening = whenAborted(closing, () => abort(closing.reason));

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
    stopListening();
  }
}

async function invoke(handler: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<'done'> {
  await handler(signal);
  return 'done';
}

const handlerTimeout = (deadlineMs: number): AppError =>
  new AppError({ kind: 'timeout', code: 'handler_timeout', message: `The handler did not end within ${deadlineMs} ms.` });
