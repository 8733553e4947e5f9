import type { Freshness } from '@parlance/platform';

class Mark implements Freshness {
  isFresh = true;
}

/** Documents whose freshness is kept; the one longest known goes first, and counts as changed. */
const MAX_MARKS = 10_000;

/** The documents that were read lately, each marked until it changes. Its owner tells of every write before anybody can read what was written. */
export class FreshReads {
  private readonly marks = new Map<string, Mark>();

  constructor(private readonly maxMarks = MAX_MARKS) {}

  /** Of the document as it is now. */
  of(id: string): Freshness {
    const known = this.marks.get(id);
    if (known) return known;
    if (this.marks.size >= this.maxMarks) this.forgetOldest();
    const mark = new Mark();
    this.marks.set(id, mark);
    return mark;
  }

  changed(id: string): void {
    const mark = this.marks.get(id);
    if (!mark) return;
    mark.isFresh = false;
    this.marks.delete(id);
  }

  allChanged(): void {
    for (const mark of this.marks.values()) mark.isFresh = false;
    this.marks.clear();
  }

  private forgetOldest(): void {
    const { value: oldest } = this.marks.keys().next();
    if (oldest !== undefined) this.changed(oldest);
  }
}
