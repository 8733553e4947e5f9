import { describe, expect, it } from '@jest/globals';
import { transcripts } from '@parlance/contracts';
import { readingOf } from '../../../test/reading.js';
import { SpokenWords } from './spoken-words.js';

/** A segment whose words take half a second each. */
function segment(number: number, start: number, text: string, more: Partial<transcripts.Segment> = {}): transcripts.Segment {
  const words = text.split(' ').map((each, index) => transcripts.Word.fromPartial({ text: each, start: start + index / 2, end: start + index / 2 + 0.4, confidence: 0.5 }));
  return transcripts.Segment.fromPartial({ segmentId: `seg_00000${number}`, start, end: start + words.length / 2, text, words, ...more });
}

const segments = [segment(1, 0, 'Hello there.', { speakerId: 'S2' }), segment(2, 1, 'We begin', { speakerId: 'S2' }), segment(3, 2, 'We do.', { speakerId: 'S1' })];
const speakers = ['S2', 'S1'].map((speakerId, index) => transcripts.Speaker.fromPartial({ speakerId, name: `Speaker ${index + 1}` }));

const spokenOf = (those: transcripts.Segment[], of: transcripts.Speaker[] | undefined) => new SpokenWords(readingOf(those), of);
/** The members that the pieces add to an object. */
async function membersOf<T>(pieces: AsyncGenerator<string>): Promise<T> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return JSON.parse(`{${text.slice(1)}}`) as T;
}

interface Stretch {
  text: string;
  start: number;
  end: number;
  speaker: string;
  channel?: string;
  confidence: number;
  words: object[];
}

describe('the words of a transcript in AssemblyAI’s form', () => {
  const spoken = spokenOf(segments, speakers);
  const wordsOf = async (those: SpokenWords) => (await membersOf<{ words: object[] }>(those.members())).words;

  it('have times in milliseconds and letters for speakers', async () => {
    expect((await wordsOf(spoken))[5]).toEqual({ text: 'do.', start: 2500, end: 2900, confidence: 0.5, speaker: 'B' });
    expect((await wordsOf(spokenOf(segments, undefined)))[5]).toMatchObject({ speaker: null });
    expect(await membersOf(spoken.members())).toMatchObject({ text: 'Hello there. We begin We do.', confidence: 0.5 });
  });

  it('are turns of speakers', async () => {
    const { utterances } = await membersOf<{ utterances: Stretch[] }>(spoken.utterances());
    expect(utterances.map(({ speaker, text, start, end, confidence }) => [speaker, text, start, end, confidence])).toEqual([['A', 'Hello there. We begin', 0, 2000, 0.5], ['B', 'We do.', 2000, 3000, 0.5]]);
    expect(utterances.flatMap(({ words }) => words)).toEqual(await wordsOf(spoken));
  });

  it('are turns of channels, which are numbered from 1', async () => {
    const { utterances } = await membersOf<{ utterances: Stretch[] }>(spokenOf([segment(1, 0, 'Yes.', { channel: 0 }), segment(2, 1, 'No.', { channel: 1 })], undefined).utterances());
    expect(utterances.map(({ channel }) => channel)).toEqual(['1', '2']);
  });

  it('are sentences and paragraphs, each with its words', async () => {
    const { sentences, confidence } = await membersOf<{ sentences: Stretch[]; confidence: number }>(spoken.sentences());
    expect(sentences.map(({ text, words }) => [text, words.length])).toEqual([['Hello there.', 2], ['We begin', 2], ['We do.', 2]]);
    expect(confidence).toBe(0.5);
    const { paragraphs } = await membersOf<{ paragraphs: Stretch[] }>(spoken.paragraphs());
    expect(paragraphs.flatMap(({ words }) => words)).toEqual(await wordsOf(spoken));
  });

  it('are none where the engine gives no times of words', async () => {
    const bare = spokenOf(segments.map((each) => ({ ...each, words: [] })), speakers);
    expect((await membersOf<{ sentences: Stretch[] }>(bare.sentences())).sentences.map(({ text, words }) => [text, words.length])).toContainEqual(['We do.', 0]);
    expect(await membersOf(bare.members())).toMatchObject({ words: [], confidence: 1 });
  });

  it('are found by their place among all words', async () => {
    expect(await spoken.matches(['we', 'we DO', 'nobody'], new AbortController().signal)).toEqual([
      { text: 'we', count: 2, timestamps: [[1000, 1400], [2000, 2400]], indexes: [2, 4] },
      { text: 'we DO', count: 1, timestamps: [[2000, 2900]], indexes: [4] },
    ]);
  });

  it('have a neutral confidence where the engine gives none', async () => {
    const bare = segment(1, 0, 'Yes.');
    expect((await wordsOf(spokenOf([{ ...bare, words: bare.words.map((word) => ({ ...word, confidence: undefined })) }], undefined)))[0]).toMatchObject({ confidence: 1 });
  });
});
