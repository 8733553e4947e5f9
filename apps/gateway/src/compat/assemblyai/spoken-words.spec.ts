import { describe, expect, it } from '@jest/globals';
import { transcripts } from '@parlance/contracts';
import { SpokenWords } from './spoken-words.js';

/** A segment whose words take half a second each. */
function segment(number: number, start: number, text: string, more: Partial<transcripts.Segment> = {}): transcripts.Segment {
  const words = text.split(' ').map((each, index) => transcripts.Word.fromPartial({ text: each, start: start + index / 2, end: start + index / 2 + 0.4, confidence: 0.5 }));
  return transcripts.Segment.fromPartial({ segmentId: `seg_00000${number}`, start, end: start + words.length / 2, text, words, ...more });
}

const segments = [segment(1, 0, 'Hello there.', { speakerId: 'S2' }), segment(2, 1, 'We begin', { speakerId: 'S2' }), segment(3, 2, 'We do.', { speakerId: 'S1' })];
const speakers = ['S2', 'S1'].map((speakerId, index) => transcripts.Speaker.fromPartial({ speakerId, name: `Speaker ${index + 1}` }));

describe('the words of a transcript in AssemblyAI’s form', () => {
  const spoken = new SpokenWords(segments, speakers);

  it('have times in milliseconds and letters for speakers', () => {
    expect(spoken.words[5]).toEqual({ text: 'do.', start: 2500, end: 2900, confidence: 0.5, speaker: 'B' });
    expect(new SpokenWords(segments, undefined).words[5]).toMatchObject({ speaker: null });
  });

  it('are turns of speakers', () => {
    const turns = [...spoken.utterances()];
    expect(turns.map(({ speaker, text, start, end }) => [speaker, text, start, end])).toEqual([['A', 'Hello there. We begin', 0, 2000], ['B', 'We do.', 2000, 3000]]);
    expect(turns.flatMap(({ words }) => words)).toEqual(spoken.words);
  });

  it('are turns of channels, which are numbered from 1', () => {
    const turns = [...new SpokenWords([segment(1, 0, 'Yes.', { channel: 0 }), segment(2, 1, 'No.', { channel: 1 })], undefined).utterances()];
    expect(turns.map(({ channel }) => channel)).toEqual(['1', '2']);
  });

  it('are sentences and paragraphs, each with its words', async () => {
    const sentences = await spoken.sentences();
    expect(sentences.map(({ text, words }) => [text, words.length])).toEqual([['Hello there.', 2], ['We begin', 2], ['We do.', 2]]);
    const paragraphs = await spoken.paragraphs();
    expect(paragraphs.flatMap(({ words }) => words)).toEqual(spoken.words);
  });

  it('are found by their place among all words', async () => {
    expect(await spoken.matches(['we', 'we DO', 'nobody'])).toEqual([
      { text: 'we', count: 2, timestamps: [[1000, 1400], [2000, 2400]], indexes: [2, 4] },
      { text: 'we DO', count: 1, timestamps: [[2000, 2900]], indexes: [4] },
    ]);
  });

  it('have a neutral confidence where the engine gives none', () => {
    const bare = segment(1, 0, 'Yes.');
    expect(new SpokenWords([{ ...bare, words: bare.words.map((word) => ({ ...word, confidence: undefined })) }], undefined).words[0]).toMatchObject({ confidence: 1 });
  });
});
