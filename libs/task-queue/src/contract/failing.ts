import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { eventually } from '@parlance/platform/contract';
import type { QueueFixture } from './queue-fixture.js';

const away = () => new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store cannot be used now.' });

export function describeFailing(fixture: QueueFixture): void {
  describe('a failing task', () => {
    it('is tried again, with its attempts counted, and gives its place to others meanwhile', async () => {
      const queue = await fixture.connect();
      const seen: string[] = [];
      const worker = fixture.worker(({ id, attempt }) => {
        seen.push(`${id} ${attempt}`);
        if (id === 'flaky' && attempt < 3) throw new Error('not yet');
      });
      await queue.add('work', [fixture.task('flaky'), fixture.task('other')]);
      await queue.work(worker);
      await eventually(() => seen.length === 4);
      expect(seen.filter((each) => each.startsWith('flaky'))).toEqual(['flaky 1', 'flaky 2', 'flaky 3']);
      expect(await queue.deadTasks.list()).toEqual([]);
    });

    it('becomes a dead task after its last try, with the reason, and may be replayed or dropped', async () => {
      const queue = await fixture.connect();
      let isMended = false;
      const attempts: number[] = [];
      await queue.work(fixture.worker(({ attempt }) => {
        attempts.push(attempt);
        if (!isMended) throw new AppError({ code: 'engine_failed', message: 'The engine broke.' });
      }));
      await queue.add('work', [fixture.task('a', { group: 'g', audioSeconds: 3 })]);
      await eventually(async () => (await queue.backlog('work')).dead === 1);
      const [dead] = await queue.deadTasks.list({ queue: 'work' });
      expect(dead).toMatchObject({ queue: 'work', task: fixture.task('a', { group: 'g', audioSeconds: 3 }), reason: 'engine_failed: The engine broke.', attempts: 3 });
      expect(await queue.deadTasks.get('work', 'a')).toEqual(dead);
      expect(await queue.deadTasks.list({ queue: 'play' })).toEqual([]);
      await queue.deadTasks.replay('work', 'a');
      await eventually(async () => attempts.length === 6 && (await queue.backlog('work')).dead === 1);
      expect(attempts).toEqual([1, 2, 3, 1, 2, 3]);
      isMended = true;
      await queue.deadTasks.replay('work', 'a');
      await eventually(() => attempts.length === 7);
      await queue.add('work', [fixture.task('b')]);
      await eventually(() => attempts.length === 8);
      await expect(queue.deadTasks.replay('work', 'a')).rejects.toMatchObject({ code: 'not_found' });
      await expect(queue.deadTasks.drop('work', 'a')).rejects.toMatchObject({ code: 'not_found' });
      isMended = false;
      await queue.add('work', [fixture.task('c')]);
      await eventually(async () => (await queue.backlog('work')).dead === 1);
      await queue.deadTasks.drop('work', 'c');
      expect(await queue.deadTasks.list()).toEqual([]);
    });

    it('is tried on beyond its tries while a server is away', async () => {
      const queue = await fixture.connect();
      const attempts: number[] = [];
      let isOver = false;
      await queue.work(fixture.worker(({ attempt }) => {
        attempts.push(attempt);
        isOver = attempt > 6;
        if (!isOver) throw away();
      }));
      await queue.add('work', [fixture.task('a')]);
      await eventually(() => isOver);
      expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await queue.deadTasks.list()).toEqual([]);
    });

    it('fails a try by taking longer than its deadline, which begins with the try', async () => {
      const queue = await fixture.connect();
      const reasons: unknown[] = [];
      const worker = fixture.worker(async ({ attempt }, { signal }) => {
        if (attempt > 1) return;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reasons.push(signal.reason);
      }, { deadlineMs: 30 });
      await queue.add('work', [fixture.task('a')]);
      await eventually(async () => (await queue.backlog('work')).oldestAgeSeconds > 0.05);
      await queue.work(worker);
      await eventually(async () => reasons.length === 1 && (await queue.backlog('work')).running + (await queue.backlog('work')).delayed === 0);
      expect(reasons).toEqual([expect.objectContaining({ code: 'handler_timeout' })]);
    });

    it('is no dead task when giving it up settles it', async () => {
      const queue = await fixture.connect();
      const givenUp: string[] = [];
      await queue.work(fixture.worker(() => Promise.reject(new Error('no')), { giveUp: async ({ id }) => (givenUp.push(id), 'settled') }));
      await queue.add('work', [fixture.task('a')]);
      await eventually(async () => givenUp.length === 1 && (await queue.backlog('work')).running === 0);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 0, dead: 0 });
    });

    it('is given up at once when its error is final', async () => {
      const queue = await fixture.connect();
      const givenUp: [string, number][] = [];
      const isFinal = (error: unknown) => (error as Error).message === 'refused';
      await queue.work(fixture.worker(({ id }) => Promise.reject(new Error(id)), { isFinal, giveUp: async ({ id, attempt }) => (givenUp.push([id, attempt]), 'settled') }));
      await queue.add('work', ['refused', 'flaky'].map((id) => fixture.task(id)));
      await eventually(() => givenUp.length === 2);
      expect(new Map(givenUp)).toEqual(new Map([['refused', 1], ['flaky', 3]]));
    });

    it('is given up again while that fails for a reason that passes', async () => {
      const queue = await fixture.connect();
      let calls = 0;
      const giveUp = async () => {
        calls += 1;
        if (calls < 3) throw away();
        return 'settled' as const;
      };
      await queue.work(fixture.worker(() => Promise.reject(new Error('no')), { giveUp }));
      await queue.add('work', [fixture.task('a')]);
      await eventually(async () => calls === 3 && (await queue.backlog('work')).running === 0);
      expect(await queue.deadTasks.list()).toEqual([]);
    });

    it('is put back uncounted when it asks for that', async () => {
      const queue = await fixture.connect();
      const attempts: number[] = [];
      await queue.work(fixture.worker(({ attempt }) => {
        attempts.push(attempt);
        if (attempts.length < 5) return { again: new Date(Date.now() + 2) };
      }));
      await queue.add('work', [fixture.task('a')]);
      await eventually(() => attempts.length === 5);
      expect(attempts).toEqual([1, 1, 1, 1, 1]);
    });

    it('that asks to run again after progress has all of its tries again', async () => {
      const queue = await fixture.connect();
      const attempts: number[] = [];
      await queue.work(fixture.worker(({ attempt }) => {
        attempts.push(attempt);
        if (attempts.length === 5) return;
        if (attempts.length % 2 === 1) throw new Error('not yet');
        return { again: new Date(), hasProgressed: true };
      }));
      await queue.add('work', [fixture.task('a')]);
      await eventually(() => attempts.length === 5);
      expect(attempts).toEqual([1, 2, 1, 2, 1]);
    });
  });
}
