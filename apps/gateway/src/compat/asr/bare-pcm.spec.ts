import { describe, expect, it } from '@jest/globals';
import { firstSeconds, wavOfPcm } from './bare-pcm.js';

async function* pieces(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size).fill(1);
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

describe('samples without a header', () => {
  it('become a WAV file of 16 kHz, mono and 16 bits, whose length is not stated', async () => {
    const wav = await bytesOf(wavOfPcm(pieces(4, 2)));
    expect(wav.length).toBe(44 + 6);
    expect([wav.toString('latin1', 0, 4), wav.toString('latin1', 8, 16), wav.toString('latin1', 36, 40)]).toEqual(['RIFF', 'WAVEfmt ', 'data']);
    expect([wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([1, 1, 16_000, 16]);
    expect([wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([0xffff_ffff, 0xffff_ffff]);
  });

  it('stay nothing when there are none, so that an empty file is refused', async () => {
    expect(await bytesOf(wavOfPcm(pieces(0)))).toHaveLength(0);
  });

  it('are cut after so many seconds', async () => {
    expect(await bytesOf(firstSeconds(pieces(20_000, 20_000, 20_000), 1))).toHaveLength(32_000);
    expect(await bytesOf(firstSeconds(pieces(20_000), 1))).toHaveLength(20_000);
  });
});
