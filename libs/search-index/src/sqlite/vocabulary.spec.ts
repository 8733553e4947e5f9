import { describe, expect, it } from '@jest/globals';
import { tellingWords, type SoughtWord } from './vocabulary.js';

const sought = (passages: number, ...terms: string[]): SoughtWord => ({ variants: terms.map((term) => ({ terms: [term], isPrefix: false })), passages });
const telling = (...words: SoughtWord[]) => tellingWords(words).map(({ terms }) => terms.join(' '));

describe('the words that tell most', () => {
  it('are all of them where few passages have them', () => {
    expect(telling(sought(300, 'budget'), sought(20, 'hires'), sought(0)).toSorted()).toEqual(['budget', 'hires']);
  });

  it('are the rarest, as far as ranking what has them takes no long time', () => {
    expect(telling(sought(3500, 'meeting'), sought(1000, 'budget'), sought(2000, 'hires', 'hired'))).toEqual(['budget', 'hires', 'hired']);
  });

  it('are the rarest in any case', () => {
    expect(telling(sought(90_000, 'meeting'), sought(80_000, 'people'))).toEqual(['people']);
  });
});
