/** Lets one loop sleep until there is something to do. A wake-up that comes while it is awake ends its next sleep at once. */
export class WakeUp {
  private isDue = false;
  private wake: (() => void) | undefined;

  now(): void {
    this.isDue = true;
    this.wake?.();
  }

  /** @returns whether it was woken before the time was over */
  async within(milliseconds: number): Promise<boolean> {
    if (!this.isDue) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => (clearTimeout(timer), resolve());
      });
    }
    const { isDue } = this;
    this.wake = undefined;
    this.isDue = false;
    return isDue;
  }
}
