/** Wakes one loop that waits for work. A notification that comes while nothing waits ends the next wait at once. */
export class AsyncSignal {
  private isNotified = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  /** Resolves at a notification since the last wait, after `milliseconds`, or when the signal aborts. @returns true when it was notified */
  async wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.isNotified && !signal?.aborted) await this.sleep(milliseconds, signal);
    const { isNotified } = this;
    this.isNotified = false;
    return isNotified;
  }

  private sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      signal?.addEventListener('abort', wake);
      this.wake = wake;
    });
  }
}
