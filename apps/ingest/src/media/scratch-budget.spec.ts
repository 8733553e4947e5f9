import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { DiskReserve } from '@parlance/storage';
import * as fc from 'fast-check';
import { ScratchBudget, type ScratchRoom } from './scratch-budget.js';

const MEGABYTE = 1024 * 1024;
const budgetOf = (megabytes: number) => new ScratchBudget(new DiskReserve(tmpdir()), megabytes * MEGABYTE);
const busy = expect.objectContaining({ kind: 'unavailable', code: 'scratch_busy', retryable: true });
const full = expect.objectContaining({ kind: 'unavailable', code: 'storage_full', retryable: true });

/** @returns the megabytes that it holds then */
async function change(room: ScratchRoom, megabytes: number, next: string): Promise<number> {
  if (next === 'extend') return room.extend(MEGABYTE).then(() => megabytes + 1, () => megabytes);
  if (next === 'give') room.give(MEGABYTE);
  if (next === 'release') room.release();
  return next === 'give' ? megabytes - 1 : next === 'release' ? 0 : megabytes;
}

describe('scratch room', () => {
  it('is never held by one account alone: another always finds a third of it', async () => {
    const budget = budgetOf(30);
    const bombs = await Promise.allSettled(Array.from({ length: 40 }, () => budget.reserve('acc_bomber', 5 * MEGABYTE)));
    expect(bombs.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const bystander = await budget.reserve('acc_bystander', 10 * MEGABYTE);
    await expect(budget.reserve('acc_third', MEGABYTE)).rejects.toEqual(busy);
    bystander.release();
    await expect(budget.reserve('acc_third', MEGABYTE)).resolves.toBeDefined();
  });

  it('counts what a reservation was extended by, and releases all of it once', async () => {
    const budget = budgetOf(30);
    const room = await budget.reserve('acc_1', 10 * MEGABYTE);
    await room.extend(10 * MEGABYTE);
    await expect(budget.reserve('acc_1', 1)).rejects.toEqual(busy);
    room.wrote(5 * MEGABYTE);
    room.give(6 * MEGABYTE);
    await expect(budget.reserve('acc_1', 7 * MEGABYTE)).rejects.toEqual(busy);
    await room.extend(6 * MEGABYTE);
    room.release();
    room.release();
    await expect(budget.reserve('acc_1', 20 * MEGABYTE)).resolves.toBeDefined();
  });

  it('is busy while other jobs hold it, and full where the disk has none for the job even without them', async () => {
    let free = 30;
    const reservation = { left: 0, consume: () => {}, extend: async () => true, release: () => {} };
    const disk = { capacity: async () => 100 * MEGABYTE, room: async () => free * MEGABYTE, reserve: async (bytes: number) => ((free -= bytes / MEGABYTE), reservation) };
    const budget = new ScratchBudget(disk);
    await budget.reserve('acc_1', 10 * MEGABYTE);
    await expect(budget.reserve('acc_1', 10 * MEGABYTE)).rejects.toEqual(busy);
    await expect(budget.reserve('acc_2', 20 * MEGABYTE)).rejects.toEqual(full);
    free = -1;
    await expect(budget.reserve('acc_2', MEGABYTE)).rejects.toEqual(full);
  });

  it('is refused for good where a job needs more than there ever is', async () => {
    const never = expect.objectContaining({ code: 'storage_full', retryable: false });
    await expect(budgetOf(30).reserve('acc_1', 21 * MEGABYTE)).rejects.toEqual(never);
    const room = await budgetOf(30).reserve('acc_1', 20 * MEGABYTE);
    await expect(room.extend(MEGABYTE)).rejects.toEqual(never);
    room.release();
  });

  it('is never promised beyond its bound, whatever jobs take and give', async () => {
    const step = fc.record({ account: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: 12 }), next: fc.constantFrom('hold', 'extend', 'give', 'release') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const budget = budgetOf(30);
        const held: { room: ScratchRoom; bytes: number }[] = [];
        for (const { account, bytes, next } of steps) {
          const room = await budget.reserve(account, bytes * MEGABYTE).catch(() => undefined);
          if (room) held.push({ room, bytes: await change(room, bytes, next) });
        }
        expect(held.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(30);
        for (const { room } of held) room.release();
        (await budget.reserve('a', 20 * MEGABYTE)).release();
      }),
      { numRuns: 50 },
    );
  });
});
