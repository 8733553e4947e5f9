import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lines } from '../testing/lines.js';
import { QuoteFinder } from './quote-finder.js';

const talk = lines(['We cannot afford  another engineer.', 'Ann will send', 'the report by Friday.', 'No.', 'Ann will send the bill.']);
const finder = new QuoteFinder(talk);

describe('QuoteFinder', () => {
  it('finds a quote in its segment, with the segment’s times', () => {
    expect(finder.find('afford another engineer', 'seg_000001')).toEqual({ segmentId: 'seg_000001', start: 0, end: 4, quote: 'afford another engineer' });
  });

  it('takes no difference but white space', () => {
    expect(finder.find(' cannot\nafford another ')?.quote).toBe('cannot afford another');
    for (const wrong of ['Cannot afford another', 'cannot afford an other', 'cannot afford another engineer!', 'We can not afford another']) {
      expect(finder.find(wrong)).toBeUndefined();
    }
  });

  it('finds what goes over segments, and corrects a wrong segment', () => {
    expect(finder.find('send the report by', 'seg_000001')).toMatchObject({ segmentId: 'seg_000002', start: 5, end: 14 });
    expect(finder.find('Ann will send the', 'seg_000005')).toMatchObject({ segmentId: 'seg_000005' });
    expect(finder.find('send the bill', 'seg_999999')).toMatchObject({ segmentId: 'seg_000005' });
  });

  it('takes neither half a word nor a word that is found everywhere, but a segment of one word', () => {
    expect(finder.find('afford another engin')).toBeUndefined();
    expect(finder.find('Ann')).toBeUndefined();
    expect(finder.find('')).toBeUndefined();
    expect(finder.find('No.', 'seg_000004')).toMatchObject({ segmentId: 'seg_000004', quote: 'No.' });
  });

  it('finds quotes of scripts without spaces', () => {
    expect(new QuoteFinder(lines(['今日は良い天気ですね', '明日も晴れるでしょう'])).find('良い天気ですね明日も')).toMatchObject({ segmentId: 'seg_000001', end: 9 });
    expect(new QuoteFinder([]).find('anything at all')).toBeUndefined();
  });

  it('finds every stretch of words that was spoken, and what it gives is in the transcript', () => {
    const word = fc.constantFrom('alpha', 'beta.', 'the', 'a', 'gamma-ray', 'Übung', 'don’t', '42');
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(), (spoken, from, count) => {
        const made = lines(spoken.map((words) => words.join(' ')));
        const all = spoken.flat();
        const start = from % all.length;
        const quote = all.slice(start, start + 3 + (count % 5)).join(' ');
        const found = new QuoteFinder(made).find(quote);
        if (quote.replaceAll(/[^\p{L}\p{N}]/gu, '').length >= 8) expect(found?.quote).toBe(quote);
        if (found) expect(made.map(({ text }) => text).join(' ')).toContain(found.quote);
      }),
      { numRuns: 200 },
    );
  });
});
