import { describe, expect, it } from '@jest/globals';
import { dialoguePcm, dialogueReference, diarizationErrorRate, piecesOf } from '../../../test/dialogue.js';
import { samplePcm } from '../../../test/sample-pcm.js';
import type { AudioPiece } from '../speaker-diarizer.js';
import { BuiltInDiarizer } from './built-in-diarizer.js';

const never = new AbortController().signal;
const diarizer = new BuiltInDiarizer();

describe('BuiltInDiarizer', () => {
  it.each([
    ['two', 2],
    ['three', 3],
  ])('tells %s voices apart without being told how many there are, over overlapping pieces', async (name, count) => {
    const { turns, speakerCount } = await diarizer.diarize({ audio: each(await piecesOf(dialoguePcm(name), 10)), signal: never });
    expect(speakerCount).toBe(count);
    expect(diarizationErrorRate(dialogueReference(name), turns)).toBeLessThan(0.12);
    expect([...new Set(turns.map(({ speakerId }) => speakerId))]).toEqual(['S1', 'S2', 'S3'].slice(0, count));
    expect(turns.map(({ start }) => start)).toEqual(turns.map(({ start }) => start).toSorted((one, other) => one - other));
  });

  it('keeps to the number of speakers that it is given', async () => {
    const pieces = await piecesOf(dialoguePcm('two'), 30);
    const counts = async (bounds: { minSpeakers?: number; maxSpeakers?: number }) => (await diarizer.diarize({ audio: each(again(pieces)), ...bounds, signal: never })).speakerCount;
    expect(await counts({ maxSpeakers: 1 })).toBe(1);
    expect(await counts({ minSpeakers: 3 })).toBe(3);
    expect(await counts({ minSpeakers: 2, maxSpeakers: 5 })).toBe(2);
  });

  it('hears no more people in a meeting that is played four times', async () => {
    const pcm = samplePcm('meeting.mp3');
    const seconds = pcm.length / 32_000;
    const pieces = await piecesOf(pcm, 30);
    const looped = [0, 1, 2, 3].flatMap((time) =>
      again(pieces, pcm).map(({ start, speech, pcm: audio }) => ({
        start: start + time * seconds,
        speech: speech.map((region) => ({ start: region.start + time * seconds, end: region.end + time * seconds })),
        pcm: audio,
      })),
    );
    expect((await diarizer.diarize({ audio: each(looped), signal: never })).speakerCount).toBe(2);
  });

  it('hears one person in a reading, and nobody where nobody speaks', async () => {
    const reading = await diarizer.diarize({ audio: each(await piecesOf(samplePcm('reading.flac'), 30)), signal: never });
    expect(reading.speakerCount).toBe(1);
    expect(await diarizer.diarize({ audio: each([]), signal: never })).toEqual({ turns: [], speakerCount: 0 });
    const tooShort = { start: 0, pcm: one(new Uint8Array(320)), speech: [{ start: 0, end: 0.01 }] };
    expect((await diarizer.diarize({ audio: each([tooShort]), signal: never })).turns).toEqual([]);
  });

  it('stops when it is canceled, and at its deadline', async () => {
    const abort = new AbortController();
    const endless = async function* (): AsyncGenerator<AudioPiece> {
      for (let start = 0; ; start += 2) {
        if (start === 10) abort.abort();
        yield { start, pcm: one(new Uint8Array(64_000)), speech: [{ start, end: start + 2 }] };
      }
    };
    await expect(diarizer.diarize({ audio: endless(), signal: abort.signal })).rejects.toMatchObject({ code: 'canceled' });
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    await expect(diarizer.diarize({ audio: each([]), signal: late })).rejects.toMatchObject({ code: 'engine_timeout' });
  });
});

/** Pieces whose audio was read once, to be read again. */
function again(pieces: AudioPiece[], pcm = dialoguePcm('two')): AudioPiece[] {
  return pieces.map(({ start, speech }) => ({ start, speech, pcm: one(pcm.subarray(start * 32_000, (start + 31) * 32_000)) }));
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value;
}
