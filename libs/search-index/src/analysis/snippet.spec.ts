import { describe, expect, it } from '@jest/globals';
import { fold } from '@parlance/languages';
import fc from 'fast-check';
import { parseQuery } from './parsed-query.js';
import { markPassage } from './snippet.js';

describe('markPassage', () => {
  const word = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('budget', 'Müller', '予算会議', 'owl', '👍', 'naïve') }, { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) });
  const text = fc.array(word, { maxLength: 120 }).map((words) => words.join(' '));

  it('cuts out a part of the text with marks in order, apart and within it', () => {
    fc.assert(
      fc.property(text, fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')), fc.boolean(), (said, query, isFuzzy) => {
        const { snippet } = markPassage(said, parseQuery(query), isFuzzy);
        expect(said).toContain(snippet.text.replace(/^…/, '').replace(/…$/, ''));
        expect(snippet.text.length).toBeLessThanOrEqual(Math.max(242, 0));
        expect(snippet.text.isWellFormed()).toBe(said.isWellFormed());
        let last = 0;
        for (const [from, before] of snippet.marks) {
          expect(from >= last && before > from && before <= snippet.text.length).toBe(true);
          last = before;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('marks what the query has, as it stands there', () => {
    const { snippet } = markPassage('Herr MÜLLER und Frau Muller', parseQuery('müller'), false);
    expect(snippet.marks.map(([from, before]) => fold(snippet.text.slice(from, before)))).toEqual(['muller', 'muller']);
  });
});
