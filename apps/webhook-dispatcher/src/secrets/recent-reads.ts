/** A rotation by another replica is seen after this time. */
const KEPT_MS = 1_000;
const MAX_KEPT = 10_000;

/** Keeps reads for a second, so that a burst of webhooks reads its secret once. */
export class RecentReads<T> {
  private readonly kept = new Map<string, { value: T; until: number }>();

  async get(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.kept.get(key);
    return known && performance.now() < known.until ? known.value : this.keep(key, await read());
  }

  keep(key: string, value: T): T {
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    this.kept.set(key, { value, until: performance.now() + KEPT_MS });
    return value;
  }
}
