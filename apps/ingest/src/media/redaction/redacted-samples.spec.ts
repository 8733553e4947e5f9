import { describe, expect, it } from '@jest/globals';
import { redactedSamples, type AudioStyle } from './redacted-samples.js';
import type { Stretch } from './redacted-stretches.js';

const SECOND = 16_000;

async function redacted(stretches: Stretch[], { channels = 1, style = 'silence', blockBytes = 4097 }: { channels?: number; style?: AudioStyle; blockBytes?: number } = {}): Promise<Int16Array> {
  const audio = Buffer.from(new Int16Array(3 * SECOND * channels).fill(9999).buffer);
  const blocks = async function* () {
    for (let at = 0; at < audio.length; at += blockBytes) yield audio.subarray(at, at + blockBytes);
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of redactedSamples(blocks(), { stretches, channels, style })) pieces.push(piece);
  return new Int16Array(Uint8Array.from(Buffer.concat(pieces)).buffer);
}

const kept = (samples: Int16Array): number[] => [...samples.entries()].flatMap(([at, sample]) => (sample === 9999 ? [at] : []));

describe('the samples of redacted stretches', () => {
  it('are silent, and no others', async () => {
    const samples = await redacted([{ start: 0.5, end: 1 }, { start: 2.75, end: 9 }]);
    expect([...new Set(samples)].toSorted((one, other) => one - other)).toEqual([0, 9999]);
    expect(kept(samples)).toEqual([...samples.keys()].filter((at) => at < SECOND / 2 || (at >= SECOND && at < 2.75 * SECOND)));
  });

  it('are silent in all channels', async () => {
    const samples = await redacted([{ start: 1, end: 2 }], { channels: 3 });
    expect(kept(samples)).toEqual([...samples.keys()].filter((at) => at < 3 * SECOND || at >= 6 * SECOND));
  });

  it('are a tone of 1 kHz in all channels, however the blocks are cut', async () => {
    const [one, other] = [await redacted([{ start: 1, end: 2 }], { channels: 2, style: 'beep' }), await redacted([{ start: 1, end: 2 }], { channels: 2, style: 'beep', blockBytes: 333 })];
    expect(one).toEqual(other);
    const left = one.filter((_, at) => at % 2 === 0).subarray(SECOND, 2 * SECOND);
    expect(left).toEqual(one.filter((_, at) => at % 2 === 1).subarray(SECOND, 2 * SECOND));
    const rises = left.filter((sample, at) => at > 0 && sample > 0 && (left[at - 1] as number) <= 0).length;
    expect(rises).toBe(1000);
    expect(Math.max(...left)).toBe(Math.round(0.2 * 32_767));
  });
});
