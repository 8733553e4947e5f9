import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chapterPartition } from './chapter-partition.js';

const line = fc.record({ pause: fc.integer({ min: 0, max: 9 }), length: fc.integer({ min: 0, max: 9 }) });
const transcript = fc.array(line, { minLength: 1, maxLength: 40 }).map((spoken) => {
  let start = 3;
  return spoken.map(({ pause, length }, index) => ({ segmentId: `seg_${index}`, start: (start += pause), end: start + length, text: 'said' }));
});

describe('the division into chapters', () => {
  it('has each segment in exactly one chapter, in order, from the first to the last', () => {
    fc.assert(
      fc.property(transcript, fc.uniqueArray(fc.nat(39), { minLength: 1 }), (lines, places) => {
        const drafts = places.toSorted((a, b) => a - b).filter((first) => first < lines.length);
        fc.pre(drafts.length > 0);
        const chapters = chapterPartition(lines, drafts.map((first) => ({ first, headline: `h${first}`, gist: '', evidence: [] })));
        expect(chapters[0]?.start).toBe(lines[0]?.start);
        expect(chapters.at(-1)?.end).toBe(Math.max(...lines.map(({ end }) => end)));
        for (const [index, { start, end }] of chapters.entries()) {
          expect(chapters[index - 1]?.end ?? start).toBe(start);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(lines.some((spoken) => spoken.start === start)).toBe(true);
        }
      }),
    );
  });
});
