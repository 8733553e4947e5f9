import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { samplePcm } from '../../test/sample-pcm.js';
import { SileroVoiceActivityDetector } from './silero-voice-activity-detector.js';
import type { SpeechRegion } from './voice-activity-detector.js';

const never = new AbortController().signal;

async function* blocks(pcm: Uint8Array, size = 10_007): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pcm.byteLength; at += size) yield pcm.subarray(at, at + size);
}

const keeping = new SileroVoiceActivityDetector({ idleMs: 3_600_000 });
afterAll(() => keeping.close());

async function regionsOf(pcm: Uint8Array): Promise<SpeechRegion[]> {
  const regions: SpeechRegion[] = [];
  for await (const region of keeping.detect(blocks(pcm), never)) regions.push(region);
  return regions;
}

function synthesized(seconds: number, sample: (index: number) => number): Uint8Array {
  return new Uint8Array(Int16Array.from({ length: seconds * 16_000 }, (_, index) => Math.round(sample(index) * 32_767)).buffer);
}

/** Deterministic noise: a linear congruential generator (Numerical Recipes). */
function noise(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** A note of five harmonics every half second. */
function pluckedStrings(index: number): number {
  const semitones = [0, 4, 7, 12, 9, 5][Math.floor(index / 8000) % 6] ?? 0;
  const turn = (2 * Math.PI * 220 * 2 ** (semitones / 12) * index) / 16_000;
  const harmonics = [1, 2, 3, 4, 5].reduce((sum, harmonic) => sum + Math.sin(turn * harmonic) / harmonic, 0);
  return 0.2 * Math.exp(-(index % 8000) / 3000) * harmonics;
}

/** Names of the shared libraries that child processes of this one have loaded (Linux). */
async function librariesOfChildren(): Promise<string[]> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8');
  const maps = await Promise.all(children.trim().split(' ').map((pid) => readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '')));
  return maps.flatMap((text) => text.match(/[^/]+\.(?:so|node)(?=[\d.]*$)/gm) ?? []);
}

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('SileroVoiceActivityDetector', () => {
  onLinux('listens with ONNX Runtime, and loads no sherpa-onnx, which contains code under the GPL', async () => {
    let libraries: string[] = [];
    async function* lookedAt(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10 * 32_000);
      // The worker has answered for the first blocks and waits for the next.
      libraries = await librariesOfChildren();
    }
    for await (const region of new SileroVoiceActivityDetector().detect(lookedAt(), never)) expect(region).toBeUndefined();
    expect(libraries).toContain('onnxruntime_binding.node');
    expect(libraries.filter((library) => library.includes('sherpa'))).toEqual([]);
  });

  it('finds the speech of a meeting and its pauses', async () => {
    const pcm = samplePcm('meeting.mp3');
    const regions = await regionsOf(pcm);
    const spoken = regions.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(regions.length).toBeGreaterThanOrEqual(9);
    expect(spoken / (pcm.byteLength / 32_000)).toBeGreaterThan(0.75);
    for (const [index, { start, end }] of regions.entries()) {
      expect(end).toBeGreaterThan(start);
      expect(start).toBeGreaterThanOrEqual(regions[index - 1]?.end ?? 0);
    }
  });

  it('times speech from the start of the audio, whatever the blocks', async () => {
    const reading = samplePcm('reading.flac');
    const [first] = await regionsOf(reading);
    const [later] = await regionsOf(Buffer.concat([new Uint8Array(7 * 32_000), reading]));
    expect(Math.abs((later?.start ?? NaN) - (first?.start ?? NaN) - 7)).toBeLessThan(0.1);
  });

  it.each([
    ['silence', () => 0],
    ['a tone', (index: number) => 0.3 * Math.sin((2 * Math.PI * 440 * index) / 16_000)],
    ['white noise', (random => () => 0.1 * random())(noise())],
    ['plucked strings', pluckedStrings],
  ])('hears no speech in %s', async (_name, sample) => {
    expect(await regionsOf(synthesized(10, sample))).toEqual([]);
  });

  it('reads no further ahead than it judges, and stops at an abort', async () => {
    const abort = new AbortController();
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read += 1;
        if (read === 50) abort.abort(AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError'));
        yield new Uint8Array(10 * 32_000);
      }
    }
    const detection = (async () => {
      for await (const region of new SileroVoiceActivityDetector().detect(endless(), abort.signal)) expect(region).toBeUndefined();
    })();
    await expect(detection).rejects.toMatchObject({ code: 'engine_timeout' });
    expect(read).toBeLessThanOrEqual(52);
  });

  it.each([
    ['missing', '/nowhere.onnx', 'cannot be read'],
    ['damaged', fileURLToPath(import.meta.url), 'is damaged'],
  ])('fails, instead of hearing nothing or ending the process, when its model is %s', async (_case, model, cause) => {
    const detection = new SileroVoiceActivityDetector({ model }).detect(blocks(new Uint8Array(9)), never)[Symbol.asyncIterator]();
    await expect(detection.next()).rejects.toMatchObject({ code: 'engine_failed', retryable: false, message: expect.stringContaining(cause) });
  });

  it('detects in several streams at once', async () => {
    const pcm = samplePcm('reading.flac');
    const [alone, ...together] = await Promise.all([1, 2, 3].map(() => regionsOf(pcm)));
    for (const regions of together) expect(regions).toEqual(alone);
  });

  it('keeps nothing of the blocks that are judged', async () => {
    const script = fileURLToPath(new URL('../../test/promises-of-detection.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { PATH: process.env.PATH } });
    expect(Number(stdout)).toBeLessThan(20);
  });

  it('passes on what its source throws', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      throw new Error('disk');
    }
    const detection = (async () => {
      for await (const region of new SileroVoiceActivityDetector().detect(broken(), never)) expect(region).toBeUndefined();
    })();
    await expect(detection).rejects.toThrow('disk');
  });

  it('can be canceled at any moment without harm to the process', async () => {
    const script = fileURLToPath(new URL('../../test/cancel-detection.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, '12'], { env: { PATH: process.env.PATH } });
    expect(stdout).toBe('alive\n');
  });
});
