import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { segmentWords } from '../segments/segment-words.js';
import { collect, spoken } from '../testing/streams.js';
import type { Word } from '../transcript.js';
import { ChannelSpeakers, mergeChannels, wordOnChannel } from './merge-channels.js';

const channelSegments = (words: readonly Word[], channel: number) => segmentWords(words.map((word) => wordOnChannel(word, channel)));

describe('the segments of several channels', () => {
  it('are one conversation in order of start, numbered anew, each with its channel and speaker', async () => {
    const merged = await collect(mergeChannels([channelSegments(spoken('hello 3 fine'), 0), channelSegments(spoken('good morning', { start: 1 }), 1)]));
    expect(merged.map(({ segmentId, text, channel, speakerId }) => [segmentId, text, channel, speakerId])).toEqual([
      ['seg_000001', 'hello', 0, 'S1'],
      ['seg_000002', 'good morning', 1, 'S2'],
      ['seg_000003', 'fine', 0, 'S1'],
    ]);
    expect(merged[1]?.words).toMatchObject([{ channel: 1, speakerId: 'S2' }, { channel: 1, speakerId: 'S2' }]);
  });

  it('stay apart where people speak at once: every word once, with its time, in the order of its channel', async () => {
    const sides = fc.array(fc.array(fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 0, max: 2000 })), { maxLength: 30 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sides, async (channels) => {
        const words = channels.map(wordsOf);
        const merged = await collect(mergeChannels(words.map(channelSegments)));
        const starts = merged.map(({ start }) => start);
        expect(starts).toEqual(starts.toSorted((one, other) => one - other));
        for (const [channel, own] of words.entries()) {
          const segments = merged.filter((segment) => segment.channel === channel);
          expect(segments.flatMap((segment) => segment.words)).toEqual(own.map((word) => wordOnChannel(word, channel)));
        }
      }),
    );
  });

  it('give speakers in order of first appearance, with the names of their channels and how long they speak', async () => {
    const speakers = new ChannelSpeakers(['Agent']);
    await collect(speakers.watch(mergeChannels([channelSegments(spoken('hello there', { start: 5 }), 0), channelSegments(spoken('hi'), 1), channelSegments([], 2)])));
    expect(speakers.speakers).toEqual([
      { speakerId: 'S2', name: 'Speaker 2', talkTime: 0.3 },
      { speakerId: 'S1', name: 'Agent', talkTime: 0.7 },
    ]);
  });
});

/** Words of such lengths with such pauses before them, in milliseconds. */
function wordsOf(spans: readonly [length: number, pause: number][]): Word[] {
  let time = 0;
  return spans.map(([length, pause], index) => {
    const start = time + pause;
    time = start + length;
    return { start: start / 1000, end: time / 1000, text: `word${index}`, confidence: 1 };
  });
}
