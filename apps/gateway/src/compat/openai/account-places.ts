/** Limits what this process holds in memory for an account at the same time. */
export class AccountPlaces {
  private readonly taken = new Map<string, number>();

  constructor(private readonly perAccount: number) {}

  /** @returns to be called once when the place is free again; undefined when the account has all of its places */
  take(accountId: string): (() => void) | undefined {
    const count = this.taken.get(accountId) ?? 0;
    if (count >= this.perAccount) return undefined;
    this.taken.set(accountId, count + 1);
    return () => this.release(accountId);
  }

  private release(accountId: string): void {
    const left = (this.taken.get(accountId) ?? 1) - 1;
    if (left === 0) this.taken.delete(accountId);
    else this.taken.set(accountId, left);
  }
}
