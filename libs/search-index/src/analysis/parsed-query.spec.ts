import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseQuery } from './parsed-query.js';
import { indexTerms } from './terms.js';

const word = (term: string, isPrefix = false) => ({ terms: [term], isPrefix });

describe('parseQuery', () => {
  it('tells words from phrases', () => {
    expect(parseQuery('budget "new plan" Budget')).toEqual({ words: [word('budget')], phrases: [{ terms: ['new', 'plan'], isPrefix: false }] });
  });

  it('takes a quote without its other half for nothing', () => {
    expect(parseQuery('the "new plan').words.map(({ terms }) => terms[0])).toEqual(['the', 'new', 'plan']);
    expect(parseQuery('"').words).toEqual([]);
  });

  it('looks for one character of a script without spaces as a beginning', () => {
    expect(parseQuery('猫 予算会議').words).toEqual([word('猫', true), word('予算'), word('算会'), word('会議')]);
  });

  it('finds in a text every part of it that begins and ends with a word, as a phrase', () => {
    const said = fc.array(fc.constantFrom('alpha', 'Beta', '予算会議', '猫', 'を', 'ab1', '日本'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(said, fc.nat(5), fc.nat(5), (parts, from, length) => {
        const terms = indexTerms(parts.join(' ')).map(({ term }) => term);
        const [phrase] = parseQuery(parts.slice(from, from + length + 1).join(' '), true).phrases;
        if (!phrase) return;
        const last = phrase.terms.length - 1;
        const fits = (at: number) => phrase.terms.every((term, index) => (phrase.isPrefix && index === last ? terms[at + index]?.startsWith(term) : terms[at + index] === term));
        expect(terms.some((_, at) => fits(at))).toBe(true);
      }),
    );
  });
});
