import { describe, expect, it } from '@jest/globals';
import { Upsampler } from './upsampler.js';

const tone = (rate: number, seconds: number, hertz: number) => Int16Array.from({ length: rate * seconds }, (_, nth) => 10_000 * Math.sin((2 * Math.PI * hertz * nth) / rate));

function upsampled(samples: Int16Array, block: number): number[] {
  const upsampler = new Upsampler();
  const output: number[] = [];
  for (let at = 0; at < samples.length; at += block) output.push(...upsampler.push(samples.subarray(at, at + block)));
  return [...output, ...upsampler.end()];
}

describe('Upsampler', () => {
  it.each([200, 1000, 4000])('makes a tone of %d Hz the same tone at 24 kHz', (hertz) => {
    const made = upsampled(tone(16_000, 0.5, hertz), 512);
    const wanted = tone(24_000, 0.5, hertz);
    expect(made).toHaveLength(wanted.length);
    const worst = Math.max(...made.slice(50, -50).map((value, nth) => Math.abs(value - (wanted[nth + 50] ?? NaN))));
    expect(worst).toBeLessThan(100);
  });

  it('gives the same in blocks of any length', () => {
    const samples = tone(16_000, 0.2, 440);
    expect(upsampled(samples, 7)).toEqual(upsampled(samples, 1000));
  });
});
