import { describe, expect, it } from '@jest/globals';
import { storageFull } from '@parlance/storage';
import { DecodingAllowance } from './decoding-allowance.js';

function allowanceOf(sizeBytes: number, maxDurationSeconds = 36_000, channels = 1) {
  const reserved: number[] = [];
  const extended: number[] = [];
  const room = { extend: async (bytes: number) => void extended.push(bytes) };
  const reserveSeconds = async (seconds: number) => void reserved.push(seconds);
  return { reserved, extended, room, allowance: new DecodingAllowance({ room, sizeBytes, channels, maxDurationSeconds, reserveSeconds }) };
}

describe('how far media is decoded', () => {
  it('is what was set aside for its stated length; no more is asked for as long as it keeps to that', async () => {
    const { allowance, reserved, extended } = allowanceOf(1_000_000);
    await allowance.begin(100);
    for (let seconds = 4; seconds <= 100; seconds += 4) await allowance.admit(seconds);
    expect([reserved, extended]).toEqual([[105], [105 * 64_000]]);
  });

  it('counts each channel that is decoded apart', async () => {
    const { allowance, reserved, extended } = allowanceOf(1_000_000, 36_000, 2);
    await allowance.begin(100);
    expect([reserved, extended]).toEqual([[210], [2 * 105 * 64_000]]);
  });

  it('grows by small steps while room and seconds are there, where a file states no length or less than it holds', async () => {
    const { allowance, reserved, extended } = allowanceOf(1_000_000);
    await allowance.begin(undefined);
    for (let seconds = 4; seconds <= 60; seconds += 4) await allowance.admit(seconds);
    expect(reserved).toEqual([35, 52.5, 78.75]);
    for (let seconds = 64; seconds <= 2000; seconds += 4) {
      await allowance.admit(seconds);
      expect(reserved.at(-1)).toBeLessThan(seconds + 120);
    }
    const last = reserved.at(-1) ?? 0;
    expect(last).toBeGreaterThanOrEqual(2000);
    expect(Math.abs(extended.reduce((sum, bytes) => sum + bytes, 0) - last * 64_000)).toBeLessThan(extended.length + 1);
  });

  it('sets no seconds aside while there is no room', async () => {
    const { allowance, reserved, room } = allowanceOf(1_000_000);
    room.extend = () => Promise.reject(storageFull());
    await expect(allowance.begin(60)).rejects.toMatchObject({ code: 'storage_full' });
    expect(reserved).toEqual([]);
  });

  it('ends where its bytes cannot hold more, though gaps in its time stamps would fill hours', async () => {
    const { allowance, reserved } = allowanceOf(4000);
    await allowance.begin(undefined);
    await allowance.admit(1599);
    await expect(allowance.admit(1601)).rejects.toMatchObject({ code: 'media_implausible', retryable: false });
    expect(Math.max(...reserved)).toBeLessThan(2500);
  });

  it('ends before what is not there now is written', async () => {
    const { allowance, room } = allowanceOf(1_000_000);
    await allowance.begin(10);
    room.extend = () => Promise.reject(storageFull());
    await expect(allowance.admit(16)).rejects.toMatchObject({ code: 'storage_full' });
  });
});
