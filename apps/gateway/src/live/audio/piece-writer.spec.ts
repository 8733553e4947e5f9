import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { AppError } from '@parlance/platform';
import fc from 'fast-check';
import { AudioWindow } from './audio-window.js';
import { PieceWriter, type AudioPiece } from './piece-writer.js';

interface Put extends AudioPiece {
  done: () => void;
  fail: (error: unknown) => void;
}

/** Puts that end when the test says so. */
function setUp({ from = 0, frameBytes = 2, pieceBytes = 1000, ...more }: { from?: number; frameBytes?: number; pieceBytes?: number; firstPieceBytes?: number } = {}) {
  const puts: Put[] = [];
  const failures: AppError[] = [];
  const window = new AudioWindow(from);
  const store = (piece: AudioPiece) => new Promise<void>((resolve, reject) => puts.push({ ...piece, done: resolve, fail: reject }));
  const writer = new PieceWriter(window, { from, frameBytes, pieceBytes, ...more, store, onFailure: (error) => failures.push(error) });
  const write = (bytes: number | Buffer) => {
    window.append(typeof bytes === 'number' ? Buffer.alloc(bytes, 7) : bytes);
    writer.arrived();
  };
  return { puts, failures, window, writer, write };
}

describe('pieces', () => {
  it('are stored when a second has arrived, one at a time', async () => {
    const { puts, write } = setUp();
    write(998);
    expect(puts).toHaveLength(0);
    write(4);
    write(3000);
    expect(puts.map(({ offset, bytes }) => [offset, bytes.byteLength])).toEqual([[0, 1002]]);
    puts[0]?.done();
    await nextTurn();
    expect(puts.map(({ offset, bytes }) => [offset, bytes.byteLength])).toEqual([[0, 1002], [1002, 3000]]);
  });

  it('begin with a smaller one where that is asked for', async () => {
    const { puts, write } = setUp({ from: 500, firstPieceBytes: 300 });
    write(298);
    expect(puts).toHaveLength(0);
    write(2);
    puts[0]?.done();
    await nextTurn();
    write(998);
    expect(puts).toHaveLength(1);
    write(2);
    expect(puts.map(({ offset, bytes }) => [offset, bytes.byteLength])).toEqual([[500, 300], [800, 1000]]);
  });

  it('are stored as soon as the largest one has arrived, when a second has more bytes', () => {
    const { puts, write } = setUp({ frameBytes: 16, pieceBytes: 768_000 });
    write(256 * 1024 - 16);
    expect(puts).toHaveLength(0);
    write(32);
    expect(puts.map(({ offset, bytes }) => [offset, bytes.byteLength])).toEqual([[0, 256 * 1024]]);
  });

  it('are stored at once on demand, which settles when they are there', async () => {
    const { puts, writer, write } = setUp({ from: 500 });
    write(10);
    let isStored = false;
    const flushed = writer.flush().then(() => (isStored = true));
    write(10);
    expect(puts.map(({ offset, bytes }) => [offset, bytes.byteLength])).toEqual([[500, 10]]);
    expect(isStored).toBe(false);
    puts[0]?.done();
    await flushed;
    expect([isStored, puts.length]).toEqual([true, 1]);
  });

  it('have whole samples: half a one waits for the rest', async () => {
    const { puts, writer, write } = setUp();
    write(5);
    const flushed = writer.flush();
    puts[0]?.done();
    await flushed;
    write(1);
    void writer.flush();
    expect(puts.map(({ offset, bytes }) => [offset, bytes.byteLength])).toEqual([[0, 4], [4, 2]]);
  });

  it('are stored after a second, however few bytes there are', () => {
    jest.useFakeTimers();
    try {
      const { puts, write } = setUp();
      write(2);
      jest.advanceTimersByTime(999);
      expect(puts).toHaveLength(0);
      jest.advanceTimersByTime(1);
      expect(puts.map(({ bytes }) => bytes.byteLength)).toEqual([2]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('end with the first that cannot be stored', async () => {
    const { puts, failures, writer, write } = setUp();
    write(2000);
    const flushed = writer.flush();
    puts[0]?.fail(new AppError({ code: 'storage_full', message: 'Full.' }));
    await expect(flushed).rejects.toMatchObject({ code: 'storage_full' });
    write(5000);
    await expect(writer.flush()).rejects.toMatchObject({ code: 'storage_full' });
    expect([failures.length, puts.length, writer.unstored]).toEqual([1, 1, 7000]);
  });

  it('join to what was written, whatever the frames are', async () => {
    const frames = fc.array(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 300_000 })), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(frames, fc.constantFrom(1, 2, 6), async (sizes, frameBytes) => {
        const stored: Buffer[] = [];
        const window = new AudioWindow(0);
        const store = async ({ offset, bytes }: AudioPiece) => {
          expect([offset, bytes.byteLength <= 262_144]).toEqual([Buffer.concat(stored).byteLength, true]);
          stored.push(bytes);
          window.release(offset + bytes.byteLength);
        };
        const writer = new PieceWriter(window, { from: 0, frameBytes, pieceBytes: 32_000, store, onFailure: () => {} });
        const written: Buffer[] = [];
        for (const [index, size] of sizes.entries()) {
          const frame = Buffer.alloc(size, index + 1);
          written.push(frame);
          window.append(frame);
          writer.arrived();
          if (index % 3 === 0) await writer.flush();
        }
        await writer.flush();
        const all = Buffer.concat(written);
        expect(Buffer.concat(stored).equals(all.subarray(0, all.byteLength - (all.byteLength % frameBytes)))).toBe(true);
        writer.stop(new AppError({ code: 'canceled', message: '' }));
      }),
      { numRuns: 30 },
    );
  });
});
