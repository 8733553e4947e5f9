import type { SpokenLine } from '@parlance/text-analysis';
import type { Chapter } from './summary-engine.js';

/** A chapter before it has times. */
export interface ChapterDraft extends Pick<Chapter, 'headline' | 'gist' | 'evidence'> {
  /** The index of the segment that it begins with. */
  first: number;
}

/**
 * Divides a transcript without gaps: the first chapter begins with the first segment, each other one where the one before ends, and the
 * last ends with the last segment. Segments that begin at the same moment, in two channels, stay together.
 * @param drafts in order. Of two that begin at the same moment, the later one is left out.
 */
export function chapterPartition(lines: readonly SpokenLine[], drafts: readonly ChapterDraft[]): Chapter[] {
  const end = lines.reduce((latest, line) => Math.max(latest, line.end), 0);
  const kept: (ChapterDraft & { start: number })[] = [];
  for (const [number, draft] of drafts.entries()) {
    const start = lines[number === 0 ? 0 : draft.first]?.start ?? 0;
    if (start > (kept.at(-1)?.start ?? -1)) kept.push({ ...draft, start });
  }
  return kept.map(({ start, headline, gist, evidence }, number) => ({ start, end: kept[number + 1]?.start ?? end, headline, gist, evidence }));
}
