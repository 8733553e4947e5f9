/**
 * The progress of a group on a partition: offsets are taken in order and finished in any. What is committed is the first
 * that is not finished; those finished above it are remembered here only, and delivered again when the partition moves.
 */
export class PartitionProgress {
  private next = 0;
  private started = false;
  /** A Set keeps them in the order they were taken. */
  private readonly unfinished = new Set<number>();

  /** @returns false for an offset that was taken before: it was fetched again */
  take(offset: number): boolean {
    if (this.started && offset < this.next) return false;
    this.started = true;
    this.next = offset + 1;
    this.unfinished.add(offset);
    return true;
  }

  finish(offset: number): void {
    this.unfinished.delete(offset);
  }

  /** The offset to commit: all below it are finished. Undefined when nothing was taken yet. */
  get watermark(): number | undefined {
    if (!this.started) return undefined;
    for (const offset of this.unfinished) return offset;
    return this.next;
  }
}
