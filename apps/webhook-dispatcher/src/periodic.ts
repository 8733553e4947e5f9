/** Does the same work at a fixed interval, from the start on, and never twice at once. */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.begin(), this.everyMs);
    this.begin();
  }

  /** Waits for the work that runs. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private begin(): void {
    this.running ??= this.work()
      .catch(this.onError)
      .finally(() => (this.running = undefined));
  }
}
