/** Work that waits for a place. */
interface Waiting {
  begin: () => void;
}

/**
 * Places for work of one kind in this process. Accounts get free ones in turns, and one account never has more than its
 * share, by default half, so that there is room for another while its work stalls or takes long.
 */
export class FairPlaces {
  private readonly taken = new Map<string, number>();
  /** The account whose turn is next comes first. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private running = 0;

  constructor(
    private readonly places: number,
    private readonly share = Math.ceil(places / 2),
  ) {}

  /** Does the work once there is a place for the account. @throws the signal's reason when it aborts before that; what the work throws. */
  async run<T>(accountId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.turn(accountId, signal);
    try {
      return await work();
    } finally {
      this.leave(accountId);
    }
  }

  private turn(accountId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const entry: Waiting = { begin: () => (signal.removeEventListener('abort', giveUp), resolve()) };
      const giveUp = () => (this.withdraw(accountId, entry), reject(signal.reason as Error));
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.set(accountId, (this.waiting.get(accountId) ?? new Set()).add(entry));
      this.admit();
    });
  }

  private admit(): void {
    while (this.running < this.places) {
      const next = [...this.waiting].find(([accountId]) => (this.taken.get(accountId) ?? 0) < this.share);
      if (!next) return;
      const [accountId, [entry]] = next;
      if (!entry) return;
      this.toTheEnd(accountId, entry);
      this.running += 1;
      this.taken.set(accountId, (this.taken.get(accountId) ?? 0) + 1);
      entry.begin();
    }
  }

  /** It was the account's turn: the others come first now. */
  private toTheEnd(accountId: string, served: Waiting): void {
    const entries = this.waiting.get(accountId);
    this.waiting.delete(accountId);
    entries?.delete(served);
    if (entries && entries.size > 0) this.waiting.set(accountId, entries);
  }

  private leave(accountId: string): void {
    this.running -= 1;
    const left = (this.taken.get(accountId) ?? 0) - 1;
    if (left > 0) this.taken.set(accountId, left);
    else this.taken.delete(accountId);
    this.admit();
  }

  private withdraw(accountId: string, entry: Waiting): void {
    const entries = this.waiting.get(accountId);
    entries?.delete(entry);
    if (entries?.size === 0) this.waiting.delete(accountId);
  }
}
