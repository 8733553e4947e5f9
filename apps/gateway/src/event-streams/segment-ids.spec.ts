import { describe, expect, it } from '@jest/globals';
import type { transcripts } from '@parlance/contracts';
import { SegmentIds } from './segment-ids.js';

const place = (segmentId: string, start: number, end: number, channel?: number) => ({ segmentId, start, end, channel }) as transcripts.Segment;

describe('the ids of a transcript that a provisional segment leads to', () => {
  const ids = new SegmentIds([place('seg_1', 0, 4), place('seg_2', 4, 6), place('seg_2_2', 6, 9), place('seg_3', 12, 13)]);

  it('are those of the segments that share its time', () => {
    expect(ids.within(place('a', 0, 4))).toEqual(['seg_1']);
    expect(ids.within(place('b', 3.5, 9))).toEqual(['seg_1', 'seg_2', 'seg_2_2']);
    expect(ids.within(place('c', 12, 13))).toEqual(['seg_3']);
    expect(ids.within(place('d', 9, 12))).toEqual([]);
  });

  it('are those of its channel alone, also when the segments of channels overlap', () => {
    const split = new SegmentIds([place('seg_1', 0, 30, 0), place('seg_2', 1, 2, 1), place('seg_3', 3, 4, 1), place('seg_4', 31, 32, 0)]);
    expect(split.within(place('a', 1, 2, 1))).toEqual(['seg_2']);
    expect(split.within(place('b', 10, 29, 0))).toEqual(['seg_1']);
  });
});
