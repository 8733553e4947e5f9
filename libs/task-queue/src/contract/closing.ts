import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/platform/contract';
import { Gate, type QueueFixture } from './queue-fixture.js';

export function describeClosing(fixture: QueueFixture): void {
  describe('closing', () => {
    it('lets what runs end, and takes no more', async () => {
      const queue = await fixture.connect({ drainMs: 60_000 });
      const gate = new Gate();
      const done: string[] = [];
      const working = await queue.work(fixture.worker(async ({ id }, { signal }) => {
        await gate.pass(id, signal);
        done.push(id);
      }));
      await queue.add('work', [fixture.task('a'), fixture.task('b')]);
      await eventually(() => gate.inside.length === 1);
      const closing = working.close();
      gate.open();
      await closing;
      expect(done).toEqual(['a']);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 1, running: 0 });
    });

    it('aborts what runs when the time to drain is over, and hands its lease back uncounted', async () => {
      const [one, other] = [await fixture.connect({ drainMs: 10 }), await fixture.connect()];
      const gate = new Gate();
      const working = await one.work(fixture.worker(({ id }, { signal }) => gate.pass(id, signal)));
      await one.add('work', [fixture.task('a')]);
      await eventually(() => gate.inside.length === 1);
      await working.close();
      expect(await one.backlog('work')).toMatchObject({ waiting: 1, running: 0 });
      const attempts: number[] = [];
      await other.work(fixture.worker(({ attempt }) => void attempts.push(attempt)));
      await eventually(() => attempts.length === 1);
      expect(attempts).toEqual([1]);
    });

    it('gets a task back at once that only waits and throws the reason of draining', async () => {
      const queue = await fixture.connect({ drainMs: 60_000 });
      const gate = new Gate();
      const working = await queue.work(fixture.worker(({ id }, { draining }) => gate.pass(id, draining)));
      await queue.add('work', [fixture.task('a')]);
      await eventually(() => gate.inside.length === 1);
      await working.close();
      expect(await queue.backlog('work')).toMatchObject({ waiting: 1, running: 0, delayed: 0 });
    });

    it('ends what does not listen to its signal, after its grace', async () => {
      const queue = await fixture.connect();
      let begun = false;
      await queue.work(fixture.worker(() => ((begun = true), new Promise<void>(() => {}))));
      await queue.add('work', [fixture.task('a')]);
      await eventually(() => begun);
      await queue.close();
    });
  });
}
