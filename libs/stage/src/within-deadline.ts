import { AppError, isWaitedFor } from '@parlance/platform';

interface Deadline {
  signal: AbortSignal;
  deadlineMs: number;
  /** For the message, for instance `The summary`. */
  what: string;
  /** Default: engine_timeout. */
  code?: 'engine_timeout' | 'media_timeout';
}

/**
 * Does the work with a signal that aborts at the deadline too.
 * @throws AppError of the code at the deadline, which the job's owner reads. Its cause is the outage that the work waited for, if there was one: such a try does not count.
 */
export async function withinDeadline<T>(work: (signal: AbortSignal) => Promise<T>, { signal, deadlineMs, what, code = 'engine_timeout' }: Deadline): Promise<T> {
  const deadline = new AbortController();
  const tookTooLong = (cause?: unknown) => new AppError({ kind: 'timeout', code, message: `${what} took too long.`, cause });
  const timer = setTimeout(() => deadline.abort(tookTooLong()), deadlineMs);
  try {
    return await work(AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    if (!deadline.signal.aborted || signal.aborted) throw error;
    throw isWaitedFor(error) ? tookTooLong(error) : deadline.signal.reason;
  } finally {
    clearTimeout(timer);
  }
}
