import { AppError } from '@parlance/platform';

interface Deadline {
  signal: AbortSignal;
  deadlineMs: number;
  /** For the message, for instance `The summary`. */
  what: string;
}

/** Does the work with a signal that aborts at the deadline too. @throws AppError engine_timeout at the deadline, which the job's owner reads */
export async function withinDeadline<T>(work: (signal: AbortSignal) => Promise<T>, { signal, deadlineMs, what }: Deadline): Promise<T> {
  const deadline = new AbortController();
  const tookTooLong = () => deadline.abort(new AppError({ kind: 'timeout', code: 'engine_timeout', message: `${what} took too long.` }));
  const timer = setTimeout(tookTooLong, deadlineMs);
  try {
    return await work(AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    throw deadline.signal.aborted && !signal.aborted ? deadline.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
