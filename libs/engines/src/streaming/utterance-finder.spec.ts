import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { UtteranceFinder, type Found } from './utterance-finder.js';

const WINDOW = 512;
const options = { silenceMs: 500, maxUtteranceMs: 5000 };

/** Windows whose samples are all their probability in thousandths. */
const audioOf = (runs: readonly (readonly [probability: number, count: number])[]): Uint8Array =>
  new Uint8Array(Int16Array.from(runs.flatMap(([probability, count]) => Array<number>(count * WINDOW).fill(Math.round(probability * 1000)))).buffer);

/** A model whose judgement also depends on the windows that its stream judged before, as that of a recurrent network does. */
const model: SpeechProbabilities = {
  open() {
    let state = 0;
    return {
      judge: async (blocks) => {
        const samples = new Int16Array(Uint8Array.from(Buffer.concat(blocks)).buffer);
        return Array.from({ length: samples.length / WINDOW }, (_, nth) => (state = 0.2 * state + 0.8 * ((samples[nth * WINDOW] ?? 0) / 1000)));
      },
      close: () => {},
    };
  },
  close: async () => {},
};

async function foundIn(pcm: Uint8Array, blocks: readonly number[]): Promise<Found[]> {
  const finder = new UtteranceFinder(model, options);
  const found: Found[] = [];
  for (let [at, nth] = [0, 0]; at < pcm.byteLength; nth += 1) {
    const bytes = blocks[nth % blocks.length] ?? 1;
    for await (const each of finder.find(pcm.subarray(at, at + bytes))) found.push(each);
    at += bytes;
  }
  const last = finder.finish();
  return last ? [...found, last] : found;
}

/** The point at which a finder begins anew; undefined where it goes on. */
const pointOf = (found: Found): number | undefined => (found.type === 'pause' ? found.until : found.type === 'ended' ? found.utterance.end : undefined);

/** As a finder sees it that began so many samples earlier. */
function seenFrom(found: Found, by = 0) {
  if (found.type === 'started') return { at: found.at + by };
  if (found.type === 'pause') return { until: found.until + by };
  const { start, end, endpoint, pcm } = found.utterance;
  return { start: start + by, end: end + by, endpoint, audio: createHash('sha256').update(pcm).digest('hex') };
}

const stretches = (all: readonly Found[]) => all.flatMap((found) => (found.type === 'ended' ? [found.utterance] : []));
const runs = fc.array(fc.tuple(fc.constantFrom(0.05, 0.4, 0.6, 0.95), fc.integer({ min: 1, max: 120 })), { maxLength: 12 });
const blocks = fc.array(fc.integer({ min: 301, max: 60_000 }), { minLength: 1, maxLength: 4 });

describe('UtteranceFinder', () => {
  it('finds the same behind each point at which it begins anew as a finder that begins there', async () => {
    await fc.assert(
      fc.asyncProperty(runs, blocks, blocks, fc.integer({ min: 0, max: 511 }), async (given, some, others, odd) => {
        const pcm = audioOf([...given, [0.95, 1]]).subarray(0, -2 * odd || undefined);
        const whole = await foundIn(pcm, some);
        for (const [nth, found] of whole.entries()) {
          const point = pointOf(found);
          if (point === undefined) continue;
          const again = await foundIn(pcm.subarray(point * 2), others);
          expect(again.map((each) => seenFrom(each, point))).toEqual(whole.slice(nth + 1).map((each) => seenFrom(each)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('gives utterances in order, without overlap, with their own audio, that hold all certain speech', async () => {
    await fc.assert(
      fc.asyncProperty(runs, blocks, async (given, some) => {
        const pcm = audioOf(given);
        const utterances = stretches(await foundIn(pcm, some));
        for (const [nth, { start, end, pcm: own }] of utterances.entries()) {
          expect(start).toBeGreaterThanOrEqual(utterances[nth - 1]?.end ?? 0);
          expect(Buffer.compare(own, pcm.subarray(start * 2, end * 2))).toBe(0);
        }
        let at = 0;
        for (const [probability, count] of given) {
          const [from, to] = [at * WINDOW, (at + count) * WINDOW];
          at += count;
          if (probability < 0.95 || count < 5) continue;
          const inside = utterances.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0);
          expect(inside).toBe(to - from);
        }
      }),
    );
  });

  it('gives the samples behind the last whole window to the last utterance', async () => {
    const pcm = audioOf([[0.05, 20], [0.95, 40]]).subarray(0, -200);
    expect(stretches(await foundIn(pcm, [3200]))).toMatchObject([{ end: pcm.byteLength / 2, endpoint: 'end' }]);
  });
});
