import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { SileroProcess, type SampleRange } from './silero-process.js';
import { checkedModel } from './silero-model.js';
import { wholeSamples } from './whole-samples.js';

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
});
