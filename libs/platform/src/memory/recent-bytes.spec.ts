import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RecentBytes } from './recent-bytes.js';

const START = 1000;

describe('RecentBytes', () => {
  it('holds what was appended and not released, beside others that use the same blocks', () => {
    const steps = fc.array(fc.record({ which: fc.nat({ max: 1 }), size: fc.nat({ max: 20_000 }), releasedShare: fc.double({ min: 0, max: 1, noNaN: true }) }), { maxLength: 20 });
    fc.assert(
      fc.property(steps, (all) => {
        const sequences = [new RecentBytes(START), new RecentBytes(START)];
        const written = [Buffer.alloc(START), Buffer.alloc(START)];
        for (const [index, { which, size, releasedShare }] of all.entries()) {
          const [sequence, before] = [sequences[which] as RecentBytes, written[which] as Buffer];
          const bytes = Buffer.alloc(size, index + 1);
          written[which] = Buffer.concat([before, bytes]);
          sequence.append(bytes);
          sequence.release(sequence.start + Math.floor(releasedShare * (sequence.end - sequence.start)));
          for (const [at, each] of sequences.entries()) expect(each.copy(each.start, each.end).equals((written[at] as Buffer).subarray(each.start))).toBe(true);
        }
      }),
    );
  });

  it('gives any part of it, as far as it is held', () => {
    const sequence = new RecentBytes();
    const bytes = Buffer.from(Uint8Array.from({ length: 30_000 }, (_, at) => at % 251));
    sequence.append(bytes);
    sequence.release(9_000);
    expect(sequence.copy(10_000, 29_000)).toEqual(bytes.subarray(10_000, 29_000));
    expect(sequence.copy(0, 100_000)).toEqual(bytes.subarray(9_000));
    expect([sequence.parts(30_000, 30_001), sequence.parts(0, 9_000)]).toEqual([[], []]);
    expect([sequence.start, sequence.end]).toEqual([9_000, 30_000]);
  });

  it('goes on from its end after all of it was released', () => {
    const sequence = new RecentBytes(10);
    sequence.append(Buffer.from('ended'));
    sequence.release(Infinity);
    sequence.append(Buffer.from('goes on'));
    expect([sequence.start, sequence.copy(0, 100).toString()]).toEqual([15, 'goes on']);
  });
});
