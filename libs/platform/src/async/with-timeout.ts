/**
 * Waits for `work` no longer than `milliseconds`. The work is not stopped: give it a signal for that. A failure that comes
 * after the time-out is ignored.
 * @param onTimeout throws, or returns the value to continue with
 */
export async function withTimeout<T, Late>(milliseconds: number, work: Promise<T>, onTimeout: () => Late): Promise<T | Awaited<Late>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))).then(onTimeout);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
