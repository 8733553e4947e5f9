import { describe, expect, it } from '@jest/globals';
import { waveHead } from './wave-head.js';

const headOf = (encoding: string, length?: number) => Buffer.from(waveHead({ encoding, sample_rate: '8000', channels: '2' }, length));

describe('the header of samples that come without one', () => {
  it('describes them as a WAV file', () => {
    const head = headOf('linear16', 1000);
    expect([head.toString('latin1', 0, 4), head.readUInt32LE(4), head.toString('latin1', 8, 16)]).toEqual(['RIFF', 1036, 'WAVEfmt ']);
    expect([head.readUInt16LE(20), head.readUInt16LE(22), head.readUInt32LE(24), head.readUInt32LE(28), head.readUInt16LE(32), head.readUInt16LE(34)]).toEqual([1, 2, 8000, 32_000, 4, 16]);
    expect([head.toString('latin1', 36, 40), head.readUInt32LE(40)]).toEqual(['data', 1000]);
  });

  it.each([['mulaw', 7, 8], ['alaw', 6, 8], ['linear32', 1, 32]])('names the format of %s', (encoding, format, bits) => {
    const head = headOf(encoding);
    expect([head.readUInt16LE(20), head.readUInt16LE(34)]).toEqual([format, bits]);
    expect(head.readUInt32LE(40)).toBe(0xff_ff_ff_ff);
  });

  it('is not there for files', () => {
    expect(waveHead({}, 10)).toHaveLength(0);
    expect(waveHead({ encoding: 'opus', sample_rate: '48000' }, 10)).toHaveLength(0);
    expect(waveHead({ encoding: 'linear16' }, 10)).toHaveLength(0);
    expect(() => waveHead({ encoding: 'g729', sample_rate: '8000' }, 10)).toThrow(/invalid|decode/i);
    expect(() => waveHead({ encoding: 'constructor', sample_rate: '8000' }, 10)).toThrow(/invalid|decode/i);
  });
});
