/** Bounds the contents that are in memory at the same time: a receiver that hangs keeps its own for as long. */
export class ContentPlaces {
  private readonly taken = new Map<string, number>();
  private count = 0;
  private waiting: (() => void)[] = [];

  /** @param perAccount places that one account gets at most, so that the others keep theirs */
  constructor(
    private readonly places: number,
    private readonly perAccount: number,
  ) {}

  /** Does the work once there is a place for the account. */
  async hold<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    while (this.count >= this.places || this.of(accountId) >= this.perAccount) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.add(accountId, 1);
    try {
      return await work();
    } finally {
      this.add(accountId, -1);
      for (const resolve of this.waiting.splice(0)) resolve();
    }
  }

  private add(accountId: string, change: 1 | -1): void {
    this.count += change;
    const taken = this.of(accountId) + change;
    if (taken === 0) this.taken.delete(accountId);
    else this.taken.set(accountId, taken);
  }

  private of(accountId: string): number {
    return this.taken.get(accountId) ?? 0;
  }
}
