import { describe, expect, it } from '@jest/globals';
import { fold } from '@parlance/languages';
import fc from 'fast-check';
import { indexTerms } from './terms.js';

const terms = (text: string) => indexTerms(text).map(({ term }) => term);

describe('indexTerms', () => {
  it('are words without case, accents and what stands between them', () => {
    expect(terms("Don't STOP, café—naïve!")).toEqual(['don', 't', 'stop', 'cafe', 'naive']);
  });

  it('are each two neighbours, and the last one, where there are no spaces', () => {
    expect(terms('iPhone15を買う。猫')).toEqual(['iphone15', 'を買', '買う', 'う', '猫']);
    expect(terms('ที่นี่')).toEqual(['ที่นี่', 'นี่']);
  });

  it('lie in their text in order, whatever it is, and hold nothing that separates', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const { term, from, before } of indexTerms(text)) {
          expect(term).toMatch(/^[\p{L}\p{M}\p{N}]{1,128}$/u);
          expect(0 <= from && from < before && before <= text.length).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('are the same for a text in any normal form', () => {
    for (const text of ['Ünïcödé Ангел Ελλάδα', 'がぎぐ プレゼン', 'हिन्दी']) expect(terms(text.normalize('NFD'))).toEqual(terms(text));
  });
});

describe('fold', () => {
  it('is the same for what it gave', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (word) => expect(fold(fold(word))).toBe(fold(word))));
  });
});
