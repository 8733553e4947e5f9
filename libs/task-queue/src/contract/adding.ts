import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/platform/contract';
import type { QueueFixture } from './queue-fixture.js';

export function describeAdding(fixture: QueueFixture): void {
  describe('a task', () => {
    it('is performed with what it was added with, once', async () => {
      const queue = await fixture.connect();
      const done: unknown[] = [];
      await queue.work(fixture.worker((task) => void done.push(task)));
      const task = fixture.task('job_1/1/0', { group: 'job_1', key: 'k', priority: 3, audioSeconds: 12.5, traceparent: '00-aa-bb-01' });
      expect(await queue.add('work', [task])).toBe(1);
      await eventually(() => done.length === 1);
      expect(done).toEqual([expect.objectContaining({ ...task, attempt: 1 })]);
      await eventually(async () => (await queue.backlog('work')).running === 0);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 0, delayed: 0, dead: 0 });
      expect(done).toHaveLength(1);
    });

    it('is not added again while its id is there: waiting, running or dead', async () => {
      const queue = await fixture.connect();
      const task = fixture.task('once');
      expect(await queue.add('work', [task, task])).toBe(1);
      expect(await queue.add('work', [task])).toBe(0);
      let tries = 0;
      const failing = fixture.worker(async () => {
        expect(await queue.add('work', [task])).toBe(0);
        tries += 1;
        throw new Error('no');
      });
      await queue.work(failing);
      await eventually(async () => (await queue.backlog('work')).dead === 1);
      expect(await queue.add('work', [task])).toBe(0);
      expect(tries).toBe(3);
    });

    it('can be added again when it is done', async () => {
      const queue = await fixture.connect();
      let done = 0;
      await queue.work(fixture.worker(() => void (done += 1)));
      await queue.add('work', [fixture.task('again')]);
      await eventually(async () => (await queue.backlog('work')).waiting + (await queue.backlog('work')).running === 0);
      expect(await queue.add('work', [fixture.task('again')])).toBe(1);
      await eventually(() => done === 2);
    });

    it('belongs to its queue alone', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      await queue.work(fixture.worker(({ id }) => void done.push(`work ${id}`)));
      await queue.work(fixture.worker(({ id }) => void done.push(`play ${id}`), { queue: 'play' }));
      await queue.add('work', [fixture.task('a')]);
      await queue.add('play', [fixture.task('a')]);
      await eventually(() => done.length === 2);
      expect(done.toSorted()).toEqual(['play a', 'work a']);
    });

    it('that another process added is found', async () => {
      const [one, other] = [await fixture.connect(), await fixture.connect()];
      const done: string[] = [];
      await one.work(fixture.worker(({ id }) => void done.push(id)));
      await other.add('work', [fixture.task('from elsewhere')]);
      await eventually(() => done.length === 1);
    });

    it('does not run before its time', async () => {
      const queue = await fixture.connect();
      const notBefore = new Date(Date.now() + 300);
      await queue.add('work', [fixture.task('later', { notBefore })]);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 0, delayed: 1 });
      const times: number[] = [];
      await queue.work(fixture.worker(() => void times.push(Date.now())));
      await eventually(() => times.length === 1);
      expect(times[0]).toBeGreaterThanOrEqual(notBefore.getTime());
    });

    it('waits behind the others of its key, also while those wait for another try', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      await queue.add('work', ['a', 'b', 'c'].map((id) => fixture.task(id, { key: 'receiver' })));
      await queue.add('work', [fixture.task('other')]);
      const worker = fixture.worker(({ id, attempt }) => {
        if (id === 'a' && attempt < 3) throw new Error('not yet');
        done.push(id);
      }, { capacity: 4 });
      await queue.work(worker);
      await eventually(() => done.length === 4);
      expect(done.filter((id) => id !== 'other')).toEqual(['a', 'b', 'c']);
    });

    it('runs behind a dead one of its key', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      await queue.add('work', ['bad', 'good'].map((id) => fixture.task(id, { key: 'receiver' })));
      await queue.work(fixture.worker(({ id }) => (id === 'bad' ? Promise.reject(new Error('no')) : void done.push(id))));
      await eventually(() => done.length === 1);
      expect(done).toEqual(['good']);
    });

    it('runs after those of its key that were added before, whatever the clocks of the producers say', async () => {
      const hours = (offset: number) => ({ clock: { now: () => new Date(Date.now() + offset * 3_600_000) } });
      const [queue, behind, ahead] = [await fixture.connect(), await fixture.connect(hours(-1)), await fixture.connect(hours(1))];
      const done: string[] = [];
      for (const [id, producer] of [['a', queue], ['b', ahead], ['c', behind], ['d', queue]] as const) await producer.add('work', [fixture.task(id, { key: 'receiver' })]);
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await eventually(() => done.length === 4);
      expect(done).toEqual(['a', 'b', 'c', 'd']);
    });

    it('comes before others of its group by its priority, and by its age among equals', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      await queue.add('work', [fixture.task('low 1'), fixture.task('high', { priority: 5 }), fixture.task('low 2'), fixture.task('lowest', { priority: -1 })]);
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await eventually(() => done.length === 4);
      expect(done).toEqual(['high', 'low 1', 'low 2', 'lowest']);
    });
  });

  it('the backlog counts tasks, their audio and the places of all workers', async () => {
    const [one, other] = [await fixture.connect(), await fixture.connect()];
    await one.add('work', [fixture.task('a', { audioSeconds: 30 }), fixture.task('b', { audioSeconds: 12 }), fixture.task('c', { key: 'k' }), fixture.task('d', { key: 'k', audioSeconds: 1 })]);
    await eventually(async () => (await one.backlog('work')).oldestAgeSeconds > 0);
    expect(await other.backlog('work')).toMatchObject({ waiting: 4, running: 0, waitingAudioSeconds: 43, capacity: 0 });
    const stuck = () => new Promise<void>(() => {});
    await one.work(fixture.worker(stuck, { capacity: 1 }));
    const second = await other.work(fixture.worker(stuck, { capacity: 2 }));
    await eventually(async () => (await one.backlog('work')).running === 3 && (await one.backlog('work')).capacity === 3);
    expect(await one.backlog('work')).toMatchObject({ waiting: 1, running: 3, waitingAudioSeconds: 1 });
    await second.close();
    await other.close();
    await eventually(async () => (await one.backlog('work')).capacity === 1);
  });
}
