import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/platform/contract';
import { Gate, type QueueFixture } from './queue-fixture.js';

const HOUR_MS = 3600_000;

export function describeWaking(fixture: QueueFixture): void {
  describe('waking a task', () => {
    const soon = (ms: number) => new Date(Date.now() + ms);

    it('adds one that is not there, and leaves one that waits as it is', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      await queue.wake('work', [fixture.task('a'), fixture.task('b')]);
      await queue.wake('work', [fixture.task('a', { notBefore: soon(HOUR_MS) })]);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 2, delayed: 0 });
      await queue.work(fixture.worker(({ id, payload: { text } }) => void done.push(`${id} ${text}`)));
      await eventually(() => done.length === 2);
      expect(done).toEqual(['a about a', 'b about b']);
    });

    it('makes a delayed one due at once, or earlier, and never later', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await queue.wake('work', ['now', 'soon', 'later'].map((id) => fixture.task(id, { notBefore: soon(HOUR_MS) })));
      await queue.wake('work', [fixture.task('now')]);
      await eventually(() => done.length === 1);
      await queue.wake('work', [fixture.task('soon', { notBefore: soon(100) }), fixture.task('later', { notBefore: soon(2 * HOUR_MS) })]);
      await eventually(() => done.length === 2);
      expect(done).toEqual(['now', 'soon']);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 0, delayed: 1 });
    });

    it.each([
      ['completes', undefined],
      ['is put back for later', { again: soon(HOUR_MS) }],
    ])('performs a running one once more when that %s, also when another process wakes it', async (_how, end) => {
      const [queue, other] = [await fixture.connect(), await fixture.connect()];
      const gate = new Gate();
      let begun = 0;
      const perform = async (id: string, signal: AbortSignal) => {
        begun += 1;
        if (begun > 1) return undefined;
        await gate.pass(id, signal);
        return end;
      };
      await queue.work(fixture.worker(({ id }, { signal }) => perform(id, signal)));
      await queue.wake('work', [fixture.task('a')]);
      await eventually(() => gate.inside.length === 1);
      for (const by of [queue, other, queue]) await by.wake('work', [fixture.task('a')]);
      expect(begun).toBe(1);
      gate.open();
      await eventually(async () => begun === 2 && (await queue.backlog('work')).running === 0);
      expect([begun, await queue.backlog('work')]).toEqual([2, expect.objectContaining({ waiting: 0, delayed: 0, dead: 0 })]);
    });

    it('loses none that two processes add at the same time', async () => {
      const queues = [await fixture.connect(), await fixture.connect()];
      const done: string[] = [];
      for (const queue of queues) await queue.work(fixture.worker(({ id }) => void done.push(id)));
      const ids = Array.from({ length: 20 }, (_, nth) => `task ${nth}`);
      await Promise.all(ids.flatMap((id) => queues.map((queue) => queue.wake('work', [fixture.task(id)]))));
      await eventually(async () => new Set(done).size === 20 && (await queues[0]?.backlog('work'))?.waiting === 0);
    });
  });

  describe('the places of a worker', () => {
    const byAccount = { nameOf: ({ accountId }: { accountId: string }) => accountId, part: 1 / 4, min: 1 };
    const many = (accountId: string, count: number) => Array.from({ length: count }, (_, nth) => fixture.task(`${accountId} ${nth}`, { accountId, group: `${nth}` }));

    it('are limited for tasks of one name, which leave the others to those of other names', async () => {
      const queue = await fixture.connect();
      const gate = new Gate();
      await queue.work(fixture.worker(({ id }, { signal }) => gate.pass(id, signal), { capacity: 8, limits: [byAccount] }));
      await queue.add('work', [...many('acc_a', 10), ...many('acc_b', 1)]);
      await eventually(() => gate.inside.length === 3);
      expect(gate.inside.toSorted()).toEqual(['acc_a 0', 'acc_a 1', 'acc_b 0']);
      gate.open();
      await eventually(async () => (await queue.backlog('work')).waiting + (await queue.backlog('work')).running === 0);
    });

    it('are left to others by tasks that are slow, up to a bound and a part of their own', async () => {
      const queue = await fixture.connect();
      const gate = new Gate();
      const slow = { afterMs: 20, capacity: 16 };
      await queue.work(fixture.worker(({ id }, { signal }) => gate.pass(id, signal), { capacity: 2, slow, limits: [byAccount] }));
      for (const accountId of ['a', 'b', 'c', 'd', 'e']) await queue.add('work', many(accountId, 5));
      await eventually(() => gate.inside.length === 16);
      const counts = Object.values(Object.groupBy(gate.inside, (id) => id.slice(0, 1))).map((ids) => ids?.length);
      expect(Math.max(...counts.map((count) => count ?? 0))).toBe(4);
      gate.open();
      await eventually(async () => (await queue.backlog('work')).waiting + (await queue.backlog('work')).running === 0);
    });
  });
}
