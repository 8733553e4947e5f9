import { describe, expect, it } from '@jest/globals';
import { TimeSlices } from '@parlance/platform';
import { TermReader } from '../terms/term-reader.js';
import { weighLines } from '../terms/weighted-line.js';
import { lines } from '../testing/lines.js';
import { keyphrases, lineCounts } from './keyphrases.js';

async function phrasesOf(texts: readonly string[], count = 5, language = 'en'): Promise<string[]> {
  const weighed = await weighLines(lines(texts), await TermReader.of(language), new TimeSlices());
  return keyphrases(weighed, count, lineCounts(weighed), weighed.length);
}

describe('keyphrases', () => {
  it('are not what every talk is full of', async () => {
    const talk = ['good morning everybody and welcome', 'we will meet again next week', 'the roof will be ready next week', 'you should ask again next month', 'it could not be a better roof'];
    expect(await phrasesOf(talk)).toEqual(['roof', 'meet']);
    expect(await phrasesOf(['good evening', 'we will come again next week', 'you would, too'])).toEqual([]);
  });

  it('keep a vague word that is part of a name', async () => {
    expect(await phrasesOf(['we will fly to New York', 'New York would be nice', 'is it new'], 1)).toEqual(['new york']);
  });

  it('are read by the list of their own language', async () => {
    expect(await phrasesOf(['der March fließt', 'March'], 1, 'de')).toEqual(['march']);
  });
});
