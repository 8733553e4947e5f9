/** Lets one loop sleep until there is something to do; a wake-up while it is awake is not lost. */
export class WakeSignal {
  private woken = false;
  private wakeSleeper: (() => void) | undefined;

  wake(): void {
    this.woken = true;
    this.wakeSleeper?.();
  }

  /** Resolves when woken or after `ms`, whichever comes first. */
  async sleep(ms: number): Promise<void> {
    if (!this.woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wakeSleeper = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wakeSleeper = undefined;
    this.woken = false;
  }
}
