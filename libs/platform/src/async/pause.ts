import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `milliseconds`, or as soon as the signal aborts; never throws. With `ref: false` the pause alone does not keep the process alive. */
export async function pause(milliseconds: number, signal?: AbortSignal, { ref = true }: { ref?: boolean } = {}): Promise<void> {
  await sleep(milliseconds, undefined, { ref, ...(signal && { signal }) }).catch(() => {});
}
