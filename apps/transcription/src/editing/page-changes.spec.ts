import { expect, it } from '@jest/globals';
import type { Segment } from '@parlance/transcript';
import fc from 'fast-check';
import { hunksBetween, undone } from './page-changes.js';

const segment = (number: number, text: string): Segment => ({ segmentId: `seg_${number}`, start: number, end: number + 1, text, words: [] });

/** A page, and what edits make of it: segments are removed, changed, or followed by new ones. */
const pages = fc.array(fc.constantFrom('keep', 'change', 'remove', 'split'), { maxLength: 20 }).map((edits) => {
  const before = edits.map((_, index) => segment(index, 'before'));
  const after = before.flatMap((each, index) => {
    if (edits[index] === 'remove') return [];
    if (edits[index] === 'change') return [{ ...each, text: 'after' }];
    return edits[index] === 'split' ? [each, segment(100 + index, 'new')] : [each];
  });
  return { before, after };
});

it('a page is as before once its changes are undone', () => {
  fc.assert(fc.property(pages, ({ before, after }) => expect(undone(after, hunksBetween(before, after))).toEqual(before)));
});

it('only changed segments are stored', () => {
  const before = Array.from({ length: 200 }, (_, index) => segment(index, 'before'));
  const after = before.with(77, segment(77, 'after'));
  expect(hunksBetween(before, after)).toEqual([{ at: 77, count: 1, before: [before[77]], after: [after[77]] }]);
});
