/** Waits for all of the work, also when some of it fails, so that none runs on unseen. @throws the reason of the first, in the given order, that failed */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
