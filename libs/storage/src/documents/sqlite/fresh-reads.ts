import type { Freshness } from '@parlance/platform';

class Mark implements Freshness {
  private isChanged = false;

  constructor(
    readonly asOf: number,
    private readonly foreignVersion: () => number,
  ) {}

  get isFresh(): boolean {
    return !this.isChanged && this.foreignVersion() === this.asOf;
  }

  end(): void {
    this.isChanged = true;
  }
}

/** Documents whose freshness is kept; the one longest known goes first, and counts as changed. */
const MAX_MARKS = 10_000;

/**
 * The documents that were read lately, each marked until it changes. Its owner tells of every write of this process before
 * anybody can read what was written; after one of another process, such as `parlance-admin`, all count as changed.
 */
export class FreshReads {
  private readonly marks = new Map<string, Mark>();

  /** @param foreignVersion another number after each write of another process; NaN when that cannot be known any more */
  constructor(
    private readonly foreignVersion: () => number,
    private readonly maxMarks = MAX_MARKS,
  ) {}

  /** To be asked before a document is read: what is written in between then ends its freshness. */
  now(): number {
    return this.foreignVersion();
  }

  /** Of the document as it was read. @param asOf `now`, from before */
  of(id: string, asOf: number): Freshness {
    const known = this.marks.get(id);
    if (known?.asOf === asOf) return known;
    if (!known && this.marks.size >= this.maxMarks) this.forgetOldest();
    const mark = new Mark(asOf, this.foreignVersion);
    this.marks.set(id, mark);
    return mark;
  }

  changed(id: string): void {
    this.marks.get(id)?.end();
    this.marks.delete(id);
  }

  allChanged(): void {
    for (const mark of this.marks.values()) mark.end();
    this.marks.clear();
  }

  private forgetOldest(): void {
    const { value: oldest } = this.marks.keys().next();
    if (oldest !== undefined) this.changed(oldest);
  }
}
