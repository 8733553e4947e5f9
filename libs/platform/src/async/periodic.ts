/**
 * Does the same work at a fixed interval, one round at a time: a round that would begin while one runs is skipped, so that rounds
 * do not pile up in an outage. The timer alone does not keep the process alive.
 */
export class Periodic {
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /**
   * @param work gets a signal that aborts when this closes
   * @param onError gets the failure of a round that was not aborted
   */
  constructor(
    private readonly everyMs: number,
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Begins the first round after one interval, or at once with `immediately`. */
  start({ immediately = false } = {}): void {
    this.timer = setInterval(() => this.begin(), this.everyMs).unref();
    if (immediately) this.begin();
  }

  /** Aborts the round that runs, and waits for it. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stop.abort();
    await this.running;
  }

  private begin(): void {
    this.running ??= this.round().finally(() => (this.running = undefined));
  }

  private async round(): Promise<void> {
    try {
      await this.work(this.stop.signal);
    } catch (error) {
      if (!this.stop.signal.aborted) this.onError(error);
    }
  }
}
