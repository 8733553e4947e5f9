import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { MediaFiles, SAMPLES } from '@parlance/testing';
import fc from 'fast-check';
import type { MediaDecoder } from '../index.js';
import { decodeLive, inPieces } from './live-decoding.fixture.js';
import { LiveMedia } from './live-media.js';
import { LivePlaces } from './live-places.js';

const { LIVE_ENCODING_ALAW, LIVE_ENCODING_MULAW, LIVE_ENCODING_PCM_S16LE } = common.LiveEncoding;
const READING = SAMPLES.reading.path;
/** Raw audio has no place and no other process. */
const live = new LiveMedia({ decoder: undefined as unknown as MediaDecoder, scratchFolder: '', places: new LivePlaces(0) });

let files: MediaFiles;
beforeAll(async () => {
  files = await MediaFiles.create();
});
afterAll(() => files[Symbol.asyncDispose]());

/** The power of the difference beside that of the reference, in dB. */
function noiseOf(pcm: Buffer, reference: Buffer): number {
  const length = Math.min(pcm.length, reference.length) - 1;
  let [difference, power] = [0, 0];
  for (let at = 0; at < length; at += 2) {
    difference += (pcm.readInt16LE(at) - reference.readInt16LE(at)) ** 2;
    power += reference.readInt16LE(at) ** 2;
  }
  return 10 * Math.log10(difference / power);
}

const CASES = [
  ['mulaw', LIVE_ENCODING_MULAW, 8_000, 1],
  ['alaw', LIVE_ENCODING_ALAW, 8_000, 1],
  ['mulaw', LIVE_ENCODING_MULAW, 11_025, 2],
  ['s16le', LIVE_ENCODING_PCM_S16LE, 8_000, 1],
  ['s16le', LIVE_ENCODING_PCM_S16LE, 16_000, 2],
  ['s16le', LIVE_ENCODING_PCM_S16LE, 44_100, 1],
  ['s16le', LIVE_ENCODING_PCM_S16LE, 48_000, 2],
] as const;

describe('raw live audio', () => {
  it.each(CASES)('as %s (%s) at %d Hz with %d channels sounds as ffmpeg decodes it, and lasts as long', async (format, encoding, sampleRate, channels) => {
    const input = ['-f', format, '-ar', String(sampleRate), '-ac', String(channels)];
    const raw = await files.make(`${format}-${sampleRate}-${channels}.raw`, '-i', READING, ...input.slice(2), '-f', format);
    const reference = await readFile(await files.make('reference.raw', ...input, '-i', raw, '-ac', '1', '-ar', '16000', '-f', 's16le'));
    const { pcm } = await decodeLive(live, inPieces(await readFile(raw), 999), { encoding, sampleRate, channels });
    expect(Math.abs(pcm.length - reference.length)).toBeLessThanOrEqual(32);
    expect(noiseOf(pcm, reference)).toBeLessThan(-32);
  });

  it('at 16 kHz with one channel stays as it is, and half a sample at its end is left out', async () => {
    const bytes = Buffer.from([1, 2, 3, 4, 5]);
    const { pcm } = await decodeLive(live, inPieces(bytes, 1), { encoding: LIVE_ENCODING_PCM_S16LE, sampleRate: 16_000, channels: 1 });
    expect(pcm).toEqual(bytes.subarray(0, 4));
  });

  it('becomes the same samples however it was cut', async () => {
    const samples = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 600 });
    const rate = fc.constantFrom(8_000, 11_025, 22_050, 44_100, 48_000, 12_345);
    await fc.assert(
      fc.asyncProperty(samples, rate, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 50 }), async (values, sampleRate, channels, size) => {
        const bytes = Buffer.from(Int16Array.from(values).buffer);
        const audio = { encoding: LIVE_ENCODING_PCM_S16LE, sampleRate, channels };
        const [cut, whole] = [await decodeLive(live, inPieces(bytes, size), audio), await decodeLive(live, [bytes], audio)];
        expect(cut.pcm.equals(whole.pcm)).toBe(true);
        const frames = Math.floor(values.length / channels);
        expect(whole.pcm.length).toBe(2 * Math.ceil((frames * 16_000) / sampleRate));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['7,999 Hz', { encoding: LIVE_ENCODING_PCM_S16LE, sampleRate: 7_999, channels: 1 }],
    ['nine channels', { encoding: LIVE_ENCODING_MULAW, sampleRate: 8_000, channels: 9 }],
    ['no channel', { encoding: LIVE_ENCODING_ALAW, sampleRate: 8_000, channels: 0 }],
    ['another encoding', { encoding: 'LIVE_ENCODING_OTHER' as unknown as common.LiveEncoding, sampleRate: 8_000, channels: 1 }],
  ])('with %s is refused', async (_what, audio) => {
    await expect(decodeLive(live, [Buffer.alloc(4)], audio)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
