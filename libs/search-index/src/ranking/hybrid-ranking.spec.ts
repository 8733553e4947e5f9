import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rankHybrid, rankList, type Candidate } from './hybrid-ranking.js';

const order = (candidates: Candidate[]) => rankHybrid(candidates).map(({ id }) => id);

describe('rankHybrid', () => {
  it('adds half of the similarity, scaled to the candidates, and half of the words’ share', () => {
    const ranked = rankHybrid([
      { id: 'near', similarity: 0.8, words: [false, false] },
      { id: 'between', similarity: 0.7, words: [true, false] },
      { id: 'far', similarity: 0.4, words: [false, true] },
    ]);
    // Each word is in one passage of three, so that either is half of the query.
    expect(ranked.map(({ id }) => id)).toEqual(['between', 'near', 'far']);
    expect(ranked.map(({ score }) => score)).toEqual([0.625, 0.5, 0.25].map((score) => expect.closeTo(score, 9)));
  });

  it('puts a passage with every word first, even one that is not among the nearest', () => {
    expect(order([{ id: 'near', similarity: 1, words: [true, false] }, { id: 'far', similarity: 0.1, words: [false, false] }, { id: 'named', words: [true, true] }])).toEqual(['named', 'near', 'far']);
  });

  it('counts a rare word more than one that nearly all candidates have', () => {
    const common = ['c1', 'c2', 'c3', 'c4'].map((id) => ({ id, similarity: 0.5, words: [true, false, false] }));
    expect(order([...common, { id: 'rare', similarity: 0.5, words: [false, true, false] }])[0]).toBe('rare');
  });

  it('ranks by similarity alone when the passages have no word of the query', () => {
    const candidates = fc.uniqueArray(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(candidates, (similarities) => {
        const nearestFirst = similarities.toSorted((a, b) => b - a).map(String);
        expect(order(similarities.map((similarity) => ({ id: String(similarity), similarity: similarity / 100, words: [false] })))).toEqual(nearestFirst);
      }),
    );
  });

  it('does not depend on the scale of the similarities', () => {
    const candidate = fc.record({ similarity: fc.option(fc.integer({ min: -64, max: 64 }), { nil: undefined }), words: fc.tuple(fc.boolean(), fc.boolean()) });
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 30 }), (found) => {
        const candidates = found.map((one, index) => ({ ...one, id: String(index) }));
        // Powers of two, so that no rounding decides.
        const scaled = candidates.map((one) => ({ ...one, similarity: one.similarity === undefined ? undefined : one.similarity / 4 + 16 }));
        expect(rankHybrid(scaled)).toEqual(rankHybrid(candidates));
      }),
    );
  });

  it('keeps the given order among equals', () => {
    expect(order([{ id: 'z', words: [true] }, { id: 'a', words: [true] }])).toEqual(['z', 'a']);
  });
});

describe('rankList', () => {
  it('scores by rank', () => {
    expect(rankList(['a', 'b'])).toEqual([{ id: 'a', score: 1 / 11 }, { id: 'b', score: 1 / 12 }]);
  });
});
