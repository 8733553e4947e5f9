/** Pauses between the tries of things that fail, by their ids: each pause is twice as long as the one before. */
export class GrowingPauses {
  private readonly pauses = new Map<string, { until: number; ms: number }>();

  /** @param now in milliseconds; never goes back */
  constructor(
    private readonly firstMs: number,
    private readonly maxMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  isOver(id: string): boolean {
    return (this.pauses.get(id)?.until ?? -Infinity) <= this.now();
  }

  begin(id: string): void {
    const ms = Math.min(this.maxMs, 2 * (this.pauses.get(id)?.ms ?? this.firstMs / 2));
    this.pauses.set(id, { until: this.now() + ms, ms });
  }

  end(id: string): void {
    this.pauses.delete(id);
  }

  /** Forgets all other ids. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.pauses.keys()) if (!ids.has(id)) this.pauses.delete(id);
  }
}
