import { describe, expect, it } from '@jest/globals';
import { segmentWords } from '../segments/segment-words.js';
import { mergeChannels, wordOnChannel } from '../merge/merge-channels.js';
import { collect, segmentsOf, spoken, streamOf } from '../testing/streams.js';
import type { Segment } from '../transcript.js';
import { occurrencesOf } from './occurrences.js';

const found = async (segments: Iterable<Segment>, ...phrases: string[]) => collect(occurrencesOf(segments, phrases));
const wordsOf = async (text: string, ...phrases: string[]) => (await found(await segmentsOf(spoken(text)), ...phrases)).map(({ phrase, wordIds }) => [phrases[phrase], ...wordIds]);

describe('occurrences of words', () => {
  it('have times, speaker, segment, words and text, without regard to case, accents and punctuation', async () => {
    expect(await found(await segmentsOf(spoken('The Café, the cafe', { speakerId: 'S1' })), 'CAFÉ')).toEqual([
      { phrase: 0, start: 0.4, end: 0.7, speakerId: 'S1', segmentId: 'seg_000001', wordIds: ['1.2'], text: 'Café,' },
      { phrase: 0, start: 1.2, end: 1.5, speakerId: 'S1', segmentId: 'seg_000001', wordIds: ['1.4'], text: 'cafe' },
    ]);
  });

  it('are whole words, and phrases over a pause but not over speakers', async () => {
    expect(await wordsOf('budgets budget 1.2 meeting', 'budget', 'budget meeting', 'bud')).toEqual([['budget', '1.2'], ['budget meeting', '1.2', '2.1']]);
    const words = [...spoken('budget', { speakerId: 'S1' }), ...spoken('meeting', { start: 0.4, speakerId: 'S2' })];
    expect(await found(await segmentsOf(words), 'budget meeting')).toEqual([]);
  });

  it('do not overlap each other', async () => {
    expect(await wordsOf('ha ha ha ha', 'ha ha')).toEqual([['ha ha', '1.1', '1.2'], ['ha ha', '1.3', '1.4']]);
  });

  it('are found wherever words of scripts without spaces were divided', async () => {
    expect(await wordsOf('今天 天 气很 好', '天气', '天氣')).toEqual([['天气', '1.2', '1.3']]);
    expect(await wordsOf('ดี มาก ครับ', 'มากครับ')).toEqual([['มากครับ', '1.2', '1.3']]);
    expect(await wordsOf('كِتَاب', 'كتاب')).toHaveLength(1);
  });

  it('keep apart what is said at once on channels of their own', async () => {
    const channel = (number: number, text: string, start: number) => segmentWords(streamOf(spoken(text, { start }).map((word) => wordOnChannel(word, number))));
    const merged = await collect(mergeChannels([channel(0, 'two', 0), channel(1, 'hires', 0.2)]));
    expect(await found(merged, 'two hires')).toEqual([]);
    expect(await found(merged, 'hires')).toEqual([expect.objectContaining({ channel: 1, speakerId: 'S2' })]);
  });
});
