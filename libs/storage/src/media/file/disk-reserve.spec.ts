import { statfs } from 'node:fs/promises';
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

  it('is looked up once for all that ask while a look runs, and not by that look', async () => {
    const looks = Array.from({ length: 2 }, () => ({ begun: Promise.withResolvers<void>(), end: Promise.withResolvers<void>() }));
    const waiting = looks.values();
    const disk = new DiskReserve(tmpdir(), async (path) => {
      const { value: look } = waiting.next();
      if (!look) throw new Error('The disk was looked at once more.');
      look.begun.resolve();
      await look.end.promise;
      return statfs(path);
    });
    const first = disk.room();
    await looks[0]?.begun.promise;
    let answered = 0;
    const later = Array.from({ length: 20 }, async () => {
      await disk.room();
      answered += 1;
    });
    looks[0]?.end.resolve();
    await first;
    await looks[1]?.begun.promise;
    expect(answered).toBe(0);
    looks[1]?.end.resolve();
    await Promise.all(later);
    expect(answered).toBe(20);
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
