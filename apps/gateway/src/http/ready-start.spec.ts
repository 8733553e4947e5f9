import { describe, expect, it } from '@jest/globals';
import { withReadyStart } from './ready-start.js';

const HALF = 'a'.repeat(40_000);
const all = async (pieces: AsyncIterable<string>) => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
};

describe('a streamed answer', () => {
  it('that is short is refused as a whole when its source fails on the way', async () => {
    async function* failing() {
      yield HALF;
      throw new Error('the database went away');
    }
    await expect(withReadyStart(failing())).rejects.toThrow('the database went away');
  });

  it('that is long begins before its source has ended, and breaks off when that fails', async () => {
    let taken = 0;
    async function* long() {
      for (; taken < 3; taken += 1) yield HALF;
      throw new Error('the database went away');
    }
    const pieces = await withReadyStart(long());
    expect(taken).toBe(1);
    await expect(all(pieces)).rejects.toThrow('the database went away');
  });

  it('has every piece once and in order, whether short, empty or long', async () => {
    for (const given of [[], ['a', 'b'], [HALF, 'b', HALF, 'c', 'd']]) {
      async function* source() {
        yield* given;
      }
      expect(await all(await withReadyStart(source()))).toBe(given.join(''));
    }
  });

  it('lets go of its source when the client leaves in the beginning', async () => {
    let isReleased = false;
    async function* source() {
      try {
        for (;;) yield HALF;
      } finally {
        isReleased = true;
      }
    }
    const pieces = await withReadyStart(source());
    await pieces.next();
    await pieces.return(undefined);
    expect(isReleased).toBe(true);
  });
});
