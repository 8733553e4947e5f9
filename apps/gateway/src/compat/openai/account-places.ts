/** Limits what this process holds in memory at the same time, for an account and in all. */
export class AccountPlaces {
  private readonly taken = new Map<string, number>();

  private all = 0;

  constructor(
    private readonly perAccount: number,
    private readonly inAll = Infinity,
  ) {}

  /** @returns to be called once when the place is free again; undefined when the account has all of its places, or all are taken */
  take(accountId: string): (() => void) | undefined {
    const count = this.taken.get(accountId) ?? 0;
    if (count >= this.perAccount || this.all >= this.inAll) return undefined;
    this.all += 1;
    this.taken.set(accountId, count + 1);
    return () => this.release(accountId);
  }

  private release(accountId: string): void {
    this.all -= 1;
    const left = (this.taken.get(accountId) ?? 1) - 1;
    if (left === 0) this.taken.delete(accountId);
    else this.taken.set(accountId, left);
  }
}
