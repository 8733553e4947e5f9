import type { TimeSlices } from '@parlance/platform';
import { requireRoomInSegment, requireRoomOnPage } from './text-bounds.js';
import { textPattern, type TextSearch } from './text-pattern.js';
import type { TranscriptDraft } from './transcript-draft.js';

/** A text that takes the place of another one. */
export interface Replacement extends TextSearch {
  replace: string;
}

/**
 * Replaces a text in the segments of a page. Lengths are checked first, so that nothing is built that is refused.
 * @returns how often the text was found
 * @throws AppError invalid
 */
export async function replaceOnPage(draft: TranscriptDraft, page: number, { replace, ...search }: Replacement, slices: TimeSlices): Promise<number> {
  const pattern = textPattern(search);
  const found = new Set<string>();
  let [matches, before, after] = [0, 0, 0];
  await draft.eachOf(page, async ({ segment: { segmentId, text } }) => {
    const texts = text.match(pattern) ?? [];
    const length = text.length + texts.reduce((sum, each) => sum + replace.length - each.length, 0);
    requireRoomInSegment(text.length, length);
    [matches, before, after] = [matches + texts.length, before + text.length, after + length];
    if (texts.length > 0) found.add(segmentId);
    await slices.next();
  });
  requireRoomOnPage(before, after);
  await draft.eachOf(page, async (place) => {
    if (!found.has(place.segment.segmentId)) return;
    draft.reword(place, place.segment.text.replace(pattern, () => replace));
    await slices.next();
  });
  return matches;
}
