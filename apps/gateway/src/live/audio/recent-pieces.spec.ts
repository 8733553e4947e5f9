import { describe, expect, it } from '@jest/globals';
import { RecentPieces } from './recent-pieces.js';

const pieceAt = (offset: number) => ({ key: `piece-${offset}`, offset, size: 10 });

describe('recent pieces', () => {
  it('are those from a byte on, while that is known', () => {
    const recent = new RecentPieces();
    for (const offset of [20, 30, 40]) recent.add(pieceAt(offset));
    expect(recent.from(20)).toEqual([pieceAt(20), pieceAt(30), pieceAt(40)]);
    expect(recent.from(39)).toEqual([pieceAt(30), pieceAt(40)]);
    expect([recent.from(19), recent.from(50)]).toEqual([undefined, undefined]);
  });

  it('are forgotten once their last byte was recognized', () => {
    const recent = new RecentPieces();
    for (const offset of [0, 10]) recent.add(pieceAt(offset));
    recent.release(9);
    expect(recent.from(0)).toHaveLength(2);
    recent.release(10);
    expect([recent.from(0), recent.from(10)]).toEqual([undefined, [pieceAt(10)]]);
    recent.release(20);
    expect(recent.from(10)).toBeUndefined();
  });
});
