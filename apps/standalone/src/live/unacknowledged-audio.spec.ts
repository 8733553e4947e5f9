import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnacknowledgedAudio } from './unacknowledged-audio.js';

const all = Uint8Array.from({ length: 256 }, (_, index) => index);

/** The bytes from the place on, read in parts of at most `maxBytes`. */
function readFrom(audio: UnacknowledgedAudio, offset: number, maxBytes: number): number[] {
  const bytes: number[] = [];
  for (let part = audio.read(offset, maxBytes); part.byteLength > 0; part = audio.read(offset + bytes.length, maxBytes)) bytes.push(...part);
  return bytes;
}

describe('the audio that a client keeps', () => {
  it('has every byte that is not acknowledged, in whatever parts it came and is read', () => {
    const steps = fc.array(fc.record({ append: fc.integer({ min: 0, max: 40 }), acknowledge: fc.double({ min: 0, max: 1, noNaN: true }), maxBytes: fc.integer({ min: 1, max: 50 }) }), { maxLength: 6 });
    fc.assert(
      fc.property(steps, (given) => {
        const audio = new UnacknowledgedAudio();
        let acknowledged = 0;
        for (const { append, acknowledge, maxBytes } of given) {
          audio.append(all.subarray(audio.end, audio.end + append));
          acknowledged += Math.floor(acknowledge * (audio.end - acknowledged));
          audio.acknowledge(acknowledged);
          expect(audio.byteLength).toBe(audio.end - acknowledged);
          expect(readFrom(audio, acknowledged, maxBytes)).toEqual([...all.subarray(acknowledged, audio.end)]);
        }
      }),
    );
  });

  it('refuses a place that a server cannot be at', () => {
    const audio = new UnacknowledgedAudio();
    audio.append(all.subarray(0, 10));
    audio.acknowledge(4);
    for (const place of [3, 11]) expect(() => audio.acknowledge(place)).toThrow(RangeError);
  });
});
