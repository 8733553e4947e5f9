import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { PartitionProgress } from './partition-progress.js';

/** Offsets with gaps, as compaction and transactions leave them, finished in any order. */
const history = fc
  .uniqueArray(fc.nat({ max: 500 }), { minLength: 1, maxLength: 60 })
  .map((offsets) => offsets.toSorted((a, b) => a - b))
  .chain((offsets) => fc.tuple(fc.constant(offsets), fc.shuffledSubarray(offsets)));

describe('the progress on a partition', () => {
  it('has nothing to commit at first', () => {
    expect(new PartitionProgress().watermark).toBeUndefined();
  });

  it('commits up to the first that is not finished, whatever is finished above', () => {
    fc.assert(
      fc.property(history, ([offsets, finished]) => {
        const progress = new PartitionProgress();
        for (const offset of offsets) expect(progress.take(offset)).toBe(true);
        for (const [index, offset] of finished.entries()) {
          progress.finish(offset);
          const done = new Set(finished.slice(0, index + 1));
          const first = offsets.find((candidate) => !done.has(candidate));
          expect(progress.watermark).toBe(first ?? (offsets.at(-1) ?? 0) + 1);
        }
      }),
    );
  });

  it('takes nothing twice when it is fetched again from further back', () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 500 }), ([offsets, finished], from) => {
        const progress = new PartitionProgress();
        for (const offset of offsets) progress.take(offset);
        for (const offset of finished) progress.finish(offset);
        const before = progress.watermark;
        for (const offset of offsets.filter((candidate) => candidate >= from)) expect(progress.take(offset)).toBe(false);
        expect(progress.watermark).toBe(before);
      }),
    );
  });
});
