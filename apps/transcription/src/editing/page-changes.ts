import { isDeepStrictEqual } from 'node:util';
import type { Segment } from '@parlance/transcript';

/** Segments of a page that took the place of others. */
export interface Hunk {
  /** The index of the first segment after the change, in the page as it is then. */
  at: number;
  /** Number of segments after the change. */
  count: number;
  /** The segments before, whole, so that the change can be undone. */
  before: Segment[];
  /** The segments after, without their words. */
  after: Segment[];
}

/** The differences of two states of a page. Segments that both have are in the same order in both. */
export function hunksBetween(before: readonly Segment[], after: readonly Segment[]): Hunk[] {
  const indexById = new Map(before.map(({ segmentId }, index) => [segmentId, index]));
  const hunks: Hunk[] = [];
  let [beforeAt, afterAt] = [0, 0];
  const close = (beforeEnd: number, afterEnd: number) => {
    if (beforeEnd > beforeAt || afterEnd > afterAt) hunks.push(hunkOf(before.slice(beforeAt, beforeEnd), after.slice(afterAt, afterEnd), afterAt));
  };
  after.forEach((segment, index) => {
    const known = indexById.get(segment.segmentId);
    if (known === undefined || known < beforeAt || !isSame(before[known], segment)) return;
    close(known, index);
    [beforeAt, afterAt] = [known + 1, index + 1];
  });
  close(before.length, after.length);
  return hunks;
}

/** Segments that an answer shows at most. */
const MAX_SHOWN_SEGMENTS = 100;

/** The first changes of a revision, as many as an answer has room for. A change of more segments is cut. */
export class FirstChanges {
  readonly hunks: Hunk[] = [];
  private room = MAX_SHOWN_SEGMENTS;

  get isFull(): boolean {
    return this.room === 0;
  }

  add(hunk: Hunk): void {
    if (this.isFull) return;
    const [before, after] = [hunk.before.slice(0, this.room), hunk.after.slice(0, this.room)];
    this.hunks.push({ ...hunk, before, after });
    this.room -= Math.max(before.length, after.length);
  }
}

/** The page as it was before the changes. */
export function undone(after: readonly Segment[], hunks: readonly Hunk[]): Segment[] {
  const segments = [...after];
  for (const { at, count, before } of hunks.toReversed()) segments.splice(at, count, ...before);
  return segments;
}

/** Number of segments that the changes replace, add or remove. */
export const changedSegments = (hunks: readonly Hunk[]): number => hunks.reduce((sum, { before, count }) => sum + Math.max(before.length, count), 0);

const hunkOf = (before: Segment[], after: readonly Segment[], at: number): Hunk => ({ at, count: after.length, before, after: after.map((segment) => ({ ...segment, words: [] })) });

const isSame = (one: Segment | undefined, other: Segment): boolean => one === other || isDeepStrictEqual(one, other);
