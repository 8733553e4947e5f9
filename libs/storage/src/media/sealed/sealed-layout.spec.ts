import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BlockSealer } from './block-sealer.js';
import { CLEAR_BLOCK_BYTES, clearSize, endOfSegment, placeOf, sealedSize } from './sealed-layout.js';

const near = (edge: number) => [edge - 1, edge, edge + 1];
const EDGES = [0, 1, ...near(65_480), ...near(131_000), ...near(CLEAR_BLOCK_BYTES), ...near(CLEAR_BLOCK_BYTES + 65_480), ...near(2 * CLEAR_BLOCK_BYTES)];
const size = fc.oneof(fc.constantFrom(...EDGES), fc.nat({ max: 2 ** 40 }));

describe('the layout of sealed objects', () => {
  it('says the clear size of every sealed size', () => {
    fc.assert(fc.property(size, (bytes) => clearSize(sealedSize(bytes)) === bytes));
  });

  it('has the sizes of what is sealed', async () => {
    for (const bytes of EDGES) {
      let sealed = 0;
      const body = (async function* () {
        yield Buffer.alloc(bytes);
      })();
      for await (const block of new BlockSealer(Buffer.alloc(32), Buffer.alloc(16)).sealWhole(body)) sealed += block.byteLength;
      expect(sealed).toBe(sealedSize(bytes));
    }
  });

  it('says 0 for sizes that no sealed object has', () => {
    for (const bytes of [0, 1, 55]) expect(clearSize(bytes)).toBe(0);
  });

  it('finds each clear byte in the segment that ends behind it', () => {
    fc.assert(
      fc.property(size, (byte) => {
        const { segment, offset } = placeOf(byte);
        const end = endOfSegment(byte, Infinity);
        expect(segment).toBeLessThan(4);
        expect(offset).toBeLessThan(65_520);
        expect(endOfSegment(byte, sealedSize(byte + 1))).toBe(sealedSize(byte + 1));
        expect(end % 65_536).toBe(0);
      }),
    );
  });
});
