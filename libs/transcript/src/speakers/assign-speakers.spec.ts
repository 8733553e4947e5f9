import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collect, segmentsOf, spoken } from '../testing/streams.js';
import type { Word } from '../transcript.js';
import { assignSpeakers } from './assign-speakers.js';
import { speakersOf, type SpeakerTurn } from './speaker-turns.js';

/** `S1: one two | S2: three` from words and turns. */
async function told(words: Word[], turns: SpeakerTurn[]): Promise<string> {
  const segments = await collect(assignSpeakers(await segmentsOf(words), turns));
  return segments.map(({ speakerId = '?', text }) => `${speakerId}: ${text}`).join(' | ');
}

const turn = (speakerId: string, start: number, end: number): SpeakerTurn => ({ speakerId, start, end });

// spoken() gives words of 0.3 s every 0.4 s
describe('assignSpeakers', () => {
  it('gives each word to whom it overlaps with most, and splits segments there', async () => {
    const words = spoken('one two three four');
    expect(await told(words, [turn('S1', 0, 0.85), turn('S2', 0.85, 2)])).toBe('S1: one two | S2: three four');
  });

  it('keeps the id of a segment for its first part', async () => {
    const segments = await collect(assignSpeakers(await segmentsOf(spoken('one two three four')), [turn('S1', 0, 0.75), turn('S2', 0.75, 1.15), turn('S3', 1.15, 2)]));
    expect(segments.map(({ segmentId }) => segmentId)).toEqual(['seg_000001', 'seg_000001_2', 'seg_000001_3']);
    expect(segments[1]).toMatchObject({ start: 0.8, end: 1.1, text: 'three', words: [{ speakerId: 'S2' }] });
  });

  it('lets the end of a sentence decide where a turn is found a little late or early', async () => {
    const words = spoken('we are done. Yes indeed we are');
    // segments end with sentences: "Yes" is the first of the next one
    expect(await told(words, [turn('S1', 0, 1.45), turn('S2', 1.45, 4)])).toBe('S1: we are done. | S2: Yes indeed we are');
    expect(await told(words, [turn('S1', 0, 1.05), turn('S2', 1.05, 4)])).toBe('S1: we are done. | S2: Yes indeed we are');
  });

  it('lets a pause decide where there is no punctuation', async () => {
    const words = spoken('one two three 0.4 four five six');
    // the turn is found a quarter of a second late, so that most of "four" is in the first one
    expect(await told(words, [turn('S1', 0, 1.7), turn('S2', 1.7, 4)])).toBe('S1: one two three | S2: four five six');
  });

  it('does not move a change that lies deep in a turn', async () => {
    const words = spoken('one two three four five six seven eight');
    expect(await told(words, [turn('S1', 0, 1.55), turn('S2', 1.55, 4)])).toBe('S1: one two three four | S2: five six seven eight');
  });

  it('smooths a short island amid a sentence, but not an interjection between pauses', async () => {
    expect(await told(spoken('one two three four five'), [turn('S1', 0, 0.8), turn('S2', 0.8, 1.15), turn('S1', 1.15, 3)])).toBe('S1: one two three four five');
    expect(await told(spoken('one two 0.5 right 0.5 four five'), [turn('S1', 0, 0.8), turn('S2', 1.1, 1.6), turn('S1', 1.8, 3)])).toBe('S1: one two | S2: right | S1: four five');
  });

  it('gives words between turns to the nearest, and leaves them alone where nobody is near', async () => {
    expect(await told(spoken('one 1.5 two 3 three'), [turn('S1', 0, 0.3), turn('S2', 2.5, 3)])).toBe('S1: one | S2: two | ?: three');
    expect(await told(spoken('one two'), [])).toBe('?: one two');
  });

  it('gives the same, done again over what it gave', async () => {
    await fc.assert(
      fc.asyncProperty(recordings(), async ({ words, turns }) => {
        const once = await collect(assignSpeakers(await segmentsOf(words), turns));
        expect(await collect(assignSpeakers(once, turns))).toEqual(once);
      }),
    );
  });

  it('keeps every word in its place, one speaker a segment, and ids apart', async () => {
    await fc.assert(
      fc.asyncProperty(recordings(), async ({ words, turns }) => {
        const segments = await collect(assignSpeakers(await segmentsOf(words), turns));
        const said = segments.flatMap((segment) => segment.words);
        expect(said.map(({ speakerId: _speaker, ...word }) => word)).toEqual(words);
        for (const { speakerId, words: own } of segments) expect(new Set(own.map((word) => word.speakerId))).toEqual(new Set([speakerId]));
        expect(new Set(segments.map(({ segmentId }) => segmentId)).size).toBe(segments.length);
        const known = new Set(turns.map(({ speakerId }) => speakerId));
        for (const { speakerId } of segments) if (speakerId !== undefined) expect(known).toContain(speakerId);
      }),
    );
  });
});

describe('speakersOf', () => {
  it('lists who speaks in the order of first speaking, and for how long', () => {
    expect(speakersOf([turn('S1', 0, 1.5), turn('S2', 1, 2), turn('S1', 3, 3.25)])).toEqual([
      { speakerId: 'S1', name: 'Speaker 1', talkTime: 1.75 },
      { speakerId: 'S2', name: 'Speaker 2', talkTime: 1 },
    ]);
  });
});

/** Words with all kinds of pauses and punctuation, and turns that have nothing to do with them. */
function recordings() {
  const word = fc.record({ text: fc.constantFrom('yes', 'no', 'well,', 'done.', 'Right?'), length: fc.integer({ min: 0, max: 500 }), gap: fc.integer({ min: 0, max: 1200 }) });
  const stretch = fc.record({ speakerId: fc.constantFrom('S1', 'S2', 'S3'), length: fc.integer({ min: 1, max: 3000 }), gap: fc.integer({ min: -500, max: 1500 }) });
  return fc.record({ words: fc.array(word, { maxLength: 40 }), turns: fc.array(stretch, { maxLength: 20 }) }).map(({ words, turns }) => ({
    words: placed(words, ({ text }) => ({ text, confidence: 1 })),
    turns: placed(turns, ({ speakerId }) => ({ speakerId })).toSorted((one, other) => one.start - other.start),
  }));
}

/** One behind the other, in seconds. */
function placed<T extends { length: number; gap: number }, R>(items: readonly T[], rest: (item: T) => R): (R & { start: number; end: number })[] {
  let time = 1000;
  return items.map((item) => {
    const start = Math.max(0, time + item.gap);
    time = start + item.length;
    return { start: start / 1000, end: time / 1000, ...rest(item) };
  });
}
