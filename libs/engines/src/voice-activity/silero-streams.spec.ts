import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { samplePcm } from '../../test/sample-pcm.js';
import { SileroStreams } from './silero-streams.js';
import { WINDOW_BYTES } from './speech-probabilities.js';

const FAULTY = new URL('../../test/faulty-silero.mjs', import.meta.url);
const reading = wholeWindows(samplePcm('reading.flac'));
const meeting = wholeWindows(samplePcm('meeting.mp3'));
const model = new SileroStreams();
afterAll(() => model.close());

function wholeWindows(pcm: Uint8Array): Uint8Array {
  return pcm.subarray(0, pcm.byteLength - (pcm.byteLength % WINDOW_BYTES));
}

/** Judged in blocks of so many windows. */
async function judged(pcm: Uint8Array, windows: number): Promise<number[]> {
  const stream = model.open();
  const probabilities: number[] = [];
  for (let at = 0; at < pcm.byteLength; at += windows * WINDOW_BYTES) probabilities.push(...(await stream.judge([pcm.subarray(at, at + 700), pcm.subarray(at + 700, at + windows * WINDOW_BYTES)])));
  stream.close();
  return probabilities;
}

describe('SileroStreams', () => {
  it('gives each window a probability, high in speech and low in silence', async () => {
    const probabilities = await judged(reading, 100);
    expect(probabilities).toHaveLength(reading.byteLength / WINDOW_BYTES);
    expect(probabilities.filter((probability) => probability > 0.9).length).toBeGreaterThan(probabilities.length / 3);
    expect(Math.max(...(await judged(new Uint8Array(50 * WINDOW_BYTES), 50)))).toBeLessThan(0.2);
  });

  it('judges streams side by side, in blocks of any length, as it judges one', async () => {
    const alone = [await judged(reading, 1000), await judged(meeting, 1000)];
    const beside = await Promise.all([judged(reading, 3), judged(meeting, 7)]);
    for (const [which, probabilities] of beside.entries()) {
      const differences = probabilities.map((probability, at) => Math.abs(probability - (alone[which]?.[at] ?? NaN)));
      // Rounded to thousandths, after sums in another order.
      expect(Math.max(...differences)).toBeLessThanOrEqual(0.005);
    }
  });

  it('has a model that gives the probabilities of the original', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-silero-'));
    try {
      await writeFile(join(folder, 'meeting.pcm'), meeting);
      const script = fileURLToPath(new URL('../../test/compare-silero-models.mjs', import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [script, join(folder, 'meeting.pcm')]);
      expect(Number(stdout)).toBeLessThan(0.0005);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('fails the streams of a process that died, and judges the next one by another process', async () => {
    const dying = new SileroStreams({ program: FAULTY });
    const stream = dying.open();
    await expect(stream.judge([new Uint8Array(WINDOW_BYTES)])).resolves.toEqual([]);
    await dying.close();
    await expect(stream.judge([new Uint8Array(WINDOW_BYTES)])).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
    await expect(dying.open().judge([new Uint8Array(WINDOW_BYTES)])).resolves.toEqual([]);
    await dying.close();
  });
});
