import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { DiskReserve } from './disk-reserve.js';

const MEGABYTE = 1024 * 1024;
/** What other programs write to the disk of the tests meanwhile. */
const NOISE = 512 * MEGABYTE;

describe('room on a disk', () => {
  it('that one part of the process has reserved is not there for another, until it is written or given back', async () => {
    const [scratch, uploads] = [new DiskReserve(tmpdir()), new DiskReserve(tmpdir())];
    const before = await uploads.room();
    const promised = Math.floor(before / 2);
    const room = await scratch.reserve(promised);
    expect(Math.abs((await uploads.room()) - (before - promised))).toBeLessThan(NOISE);
    await expect(uploads.look(promised + NOISE)).rejects.toMatchObject({ code: 'storage_full', retryable: true });
    expect(await room.extend(before)).toBe(false);
    room.consume(promised / 2);
    expect(Math.abs((await uploads.room()) - (before - promised / 2))).toBeLessThan(NOISE);
    room.release();
    room.release();
    expect(Math.abs((await uploads.room()) - before)).toBeLessThan(NOISE);
  });

  it('is promised once, however many ask at the same time', async () => {
    const disk = new DiskReserve(tmpdir());
    const part = Math.floor((await disk.room()) / 3) + NOISE;
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => disk.reserve(part)));
    const granted = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(granted.length).toBe(2);
    for (const room of granted) room.release();
  });
});
