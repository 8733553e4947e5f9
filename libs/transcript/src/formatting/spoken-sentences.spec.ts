import { describe, expect, it } from '@jest/globals';
import { assignSpeakers } from '../speakers/assign-speakers.js';
import { segmentWords } from '../segments/segment-words.js';
import { collect, spoken, streamOf } from '../testing/streams.js';
import type { Segment } from '../transcript.js';
import { formatEnglish } from './format-english.js';
import { rawOf } from './raw-words.js';
import { endedAtSpeakers } from './spoken-sentences.js';

/** @param turns `[speaker, seconds until which it speaks]` */
async function segmentsOf(text: string, ...turns: [speakerId: string, end: number][]): Promise<Segment[]> {
  const words = formatEnglish(streamOf(spoken(text)), () => true);
  return collect(assignSpeakers(segmentWords(words), turns.map(([speakerId, end], index) => ({ speakerId, start: turns[index - 1]?.[1] ?? 0, end }))));
}

const ended = (segments: readonly Segment[], isByRules = true) => endedAtSpeakers(undefined, segments, () => isByRules).segments;
const textsOf = (segments: readonly Segment[]) => segments.map(({ speakerId, text }) => `${speakerId}: ${text}`);

describe('sentences that rules wrote, once the speakers are known', () => {
  it('end where another speaker goes on, each with the mark that it needs', async () => {
    const segments = await segmentsOf("how are you i'm fine", ['S1', 1.15], ['S2', 3]);
    expect(textsOf(segments)).toEqual(['S1: How are you', "S2: I'm fine?"]);
    const [one, other] = ended(segments);
    expect(textsOf([one!, other!])).toEqual(['S1: How are you?', "S2: I'm fine."]);
    expect([...one!.words, ...other!.words].map(rawOf)).toEqual(['how', 'are', 'you', "i'm", 'fine']);
  });

  it('begin with a capital for the other speaker', async () => {
    expect(textsOf(ended(await segmentsOf('we sold it and then we left', ['S1', 1.15], ['S2', 4])))).toEqual(['S1: We sold it.', 'S2: And then we left.']);
  });

  it('stay as they are when it is done again, where one speaker goes on, and where the engine wrote them', async () => {
    const segments = await segmentsOf('we sold it and then we left', ['S1', 1.15], ['S2', 4]);
    const once = ended(segments);
    expect(ended(once)).toEqual(once);
    expect(ended(segments, false)).toEqual(segments);
    const alone = await segmentsOf('we sold it and then we left', ['S1', 4]);
    expect(ended(alone)).toEqual(alone);
  });

  it('end over the edge of a page', async () => {
    const [before, ...segments] = await segmentsOf('we sold it and then we left', ['S1', 1.15], ['S2', 4]);
    const result = endedAtSpeakers(before, segments, () => true);
    expect(textsOf([result.before!, ...result.segments])).toEqual(['S1: We sold it.', 'S2: And then we left.']);
  });
});
