import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/platform/contract';
import { Gate, type QueueFixture } from './queue-fixture.js';

export function describeRemoving(fixture: QueueFixture): void {
  describe('removing a group', () => {
    it('removes what waits, also behind a key or for its time, and leaves other groups', async () => {
      const queue = await fixture.connect();
      const group = 'job_1';
      await queue.add('work', [
        fixture.task('a', { group }),
        fixture.task('b', { group, key: 'k' }),
        fixture.task('c', { group, key: 'k' }),
        fixture.task('d', { group, notBefore: new Date(Date.now() + 60_000) }),
        fixture.task('behind', { group: 'job_2', key: 'k' }),
      ]);
      expect(await queue.removeGroup('work', group)).toBe(4);
      expect(await queue.removeGroup('work', group)).toBe(0);
      const done: string[] = [];
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await eventually(() => done.length === 1);
      expect(done).toEqual(['behind']);
    });

    it.each([['in this process', 0], ['in another process', 1]])('stops what runs %s, which is neither tried again nor dead', async (_where, at) => {
      const queues = [await fixture.connect(), await fixture.connect()] as const;
      const gate = new Gate();
      const reasons: unknown[] = [];
      const done: string[] = [];
      await queues[0].work(fixture.worker(async ({ id }, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        if (id === 'a') await gate.pass(id, signal);
        done.push(id);
      }));
      await queues[0].add('work', [fixture.task('a', { group: 'job_1' }), fixture.task('b', { group: 'job_2' })]);
      await eventually(() => gate.inside.length === 1);
      expect(await queues[at]?.removeGroup('work', 'job_1')).toBe(1);
      await eventually(() => done.length === 1);
      expect(done).toEqual(['b']);
      expect(reasons).toHaveLength(1);
      await eventually(async () => (await queues[0].backlog('work')).running === 0);
      expect(await queues[0].backlog('work')).toMatchObject({ waiting: 0, delayed: 0, dead: 0 });
    });

    it('removes its dead tasks', async () => {
      const queue = await fixture.connect();
      await queue.work(fixture.worker(() => Promise.reject(new Error('no'))));
      await queue.add('work', [fixture.task('a', { group: 'job_1' })]);
      await eventually(async () => (await queue.backlog('work')).dead === 1);
      expect(await queue.removeGroup('work', 'job_1')).toBe(1);
      expect(await queue.deadTasks.list()).toEqual([]);
    });

    it('keeps a task that is added again apart from the one that still ends', async () => {
      const queue = await fixture.connect();
      const gate = new Gate();
      let performed = 0;
      await queue.work(fixture.worker(async ({ id }) => {
        performed += 1;
        // Ignores its signal.
        if (performed === 1) await gate.pass(id, new AbortController().signal);
      }, { capacity: 2 }));
      await queue.add('work', [fixture.task('a', { group: 'g' })]);
      await eventually(() => gate.inside.length === 1);
      await queue.removeGroup('work', 'g');
      await queue.add('work', [fixture.task('a', { group: 'g' })]);
      gate.open();
      await eventually(async () => performed === 2 && (await queue.backlog('work')).running === 0);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 0, dead: 0 });
    });
  });
}
