import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { SileroProcess, type SampleRange } from './silero-process.js';
import { checkedModel } from './silero-model.js';
import { wholeSamples, type SharedSamples } from './whole-samples.js';

const never = new AbortController().signal;
const fromRoot = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Regions in samples that sherpa-onnx-node 1.13.8 found with the same model and settings, before ONNX Runtime replaced it. */
const recorded = JSON.parse(readFileSync(fromRoot('libs/engines/test/recorded-speech-regions.json'), 'utf8')) as Record<string, SampleRange[]>;
const WINDOW = 512;
const STORIES = 'bench/recordings/stories.ogg';

const pcmOf = (path: string): Buffer =>
  execFileSync('ffmpeg', ['-v', 'error', '-i', fromRoot(path), '-vn', '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], { maxBuffer: 2 ** 26 });

/** The stories without their pauses: three minutes in which no pause of 0.25 s ends a region. */
function storiesWithoutPauses(): Buffer {
  const pcm = pcmOf(STORIES);
  return Buffer.concat((recorded[STORIES] ?? []).map(([from, to]) => pcm.subarray(2 * (from + 4500), 2 * (to - 2600))));
}

const silero = new SileroProcess({ model: await checkedModel(), threshold: 0.5, minSilence: 4000, minSpeech: 1600, maxSpeech: 320_000 });
afterAll(() => silero.close());

async function regionsOf(pcm: Uint8Array): Promise<SampleRange[]> {
  const regions: SampleRange[] = [];
  async function* whole() {
    yield pcm;
  }
  for await (const samples of wholeSamples(whole())) regions.push(...(await silero.hearSamples(samples, never)));
  return [...regions, ...(await silero.hearEnd(never))];
}

/** The same in blocks of so many samples. */
async function regionsByBlocks(pcm: Uint8Array, length: number): Promise<SampleRange[]> {
  const samples: SharedSamples = new Int16Array(new SharedArrayBuffer(pcm.byteLength));
  new Uint8Array(samples.buffer).set(pcm);
  const regions: SampleRange[] = [];
  for (let at = 0; at < samples.length; at += length) regions.push(...(await silero.hearSamples(samples.subarray(at, at + length), never)));
  return [...regions, ...(await silero.hearEnd(never))];
}

describe('the regions of speech', () => {
  it.each([
    ['samples/meeting.mp3', () => pcmOf('samples/meeting.mp3')],
    ['samples/reading.flac', () => pcmOf('samples/reading.flac')],
    ['samples/report.mp4', () => pcmOf('samples/report.mp4')],
    [STORIES, () => pcmOf(STORIES)],
    ['joined', storiesWithoutPauses],
  ])('are within one window of those of sherpa-onnx: %s', async (name, pcm) => {
    const expected = recorded[name] ?? [];
    const found = await regionsOf(pcm());
    expect(found).toHaveLength(expected.length);
    for (const [index, [from, to]] of expected.entries()) {
      expect(Math.abs((found[index]?.[0] ?? NaN) - from)).toBeLessThanOrEqual(WINDOW);
      expect(Math.abs((found[index]?.[1] ?? NaN) - to)).toBeLessThanOrEqual(WINDOW);
    }
  });

  it.each([100, 513, 200_000])('are the same when the samples come %d at a time', async (length) => {
    const pcm = pcmOf('samples/reading.flac');
    expect(await regionsByBlocks(pcm, length)).toEqual(await regionsOf(pcm));
  });

  it('are found in a recording of any length, and after another one of any length, as in one block', async () => {
    const pcm = pcmOf('samples/reading.flac').subarray(2 * 10_000);
    for (const samples of [0, 1, 63, 64, 512, 513, 575, 576, 577, 1088, 1089, 20_000, 40_123]) {
      const own = pcm.subarray(0, 2 * samples);
      expect([samples, await regionsByBlocks(own, 577)]).toEqual([samples, await regionsByBlocks(own, 1_000_000)]);
    }
  });
});
