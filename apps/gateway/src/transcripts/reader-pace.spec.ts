import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { atReadersPace } from './reader-pace.js';

const STALL_MS = 60_000;

async function* pieces() {
  for (const byte of [1, 2, 3]) yield Uint8Array.of(byte);
}

describe('who downloads a transcript', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('may take its time over the whole, as long as it reads on', async () => {
    const leave = jest.fn();
    const read: number[] = [];
    for await (const [byte] of atReadersPace(pieces(), { destroy: leave })) {
      jest.advanceTimersByTime(STALL_MS - 1);
      read.push(byte ?? 0);
    }
    jest.advanceTimersByTime(10 * STALL_MS);
    expect([read, leave.mock.calls]).toEqual([[1, 2, 3], []]);
  });

  it('is left when it stands still', async () => {
    const leave = jest.fn();
    const reading = atReadersPace(pieces(), { destroy: leave });
    await reading.next();
    jest.advanceTimersByTime(STALL_MS);
    expect(leave).toHaveBeenCalledTimes(1);
    await reading.return(undefined);
    expect(jest.getTimerCount()).toBe(0);
  });
});
