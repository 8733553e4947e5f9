import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/platform/contract';
import { SHORT_LEASES, type QueueFixture } from './queue-fixture.js';

const program = fileURLToPath(new URL('../../test/worker-process.mjs', import.meta.url));

interface Said {
  began?: string;
  aborted?: string;
  code?: string;
}

export function describeKilling(fixture: QueueFixture): void {
  describe('a worker process', () => {
    const children: ChildProcess[] = [];
    afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

    /** A process that works on the queue and never ends a task. */
    const startWorker = (): { child: ChildProcess; said: Said[] } => {
      const said: Said[] = [];
      const { url, service } = fixture.address;
      const child = spawn(process.execPath, [program, url, service, JSON.stringify(SHORT_LEASES)], { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      createInterface({ input: child.stdout }).on('line', (line) => void said.push(JSON.parse(line) as Said));
      return { child, said };
    };

    it('that is killed loses its task to another worker, and no other task', async () => {
      const queue = await fixture.connect();
      const { child, said } = startWorker();
      await queue.add('work', ['a', 'b', 'c'].map((id) => fixture.task(id)));
      await eventually(() => said.length === 1, 'the first task of the process');
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      const done: string[] = [];
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await eventually(() => done.length === 3, 'the tasks that it left');
      expect(said).toEqual([{ began: 'a' }]);
      // The lease of the killed one ends at a time of its own.
      expect(done.filter((id) => id !== 'a')).toEqual(['b', 'c']);
      expect(done).toContain('a');
      await eventually(async () => (await queue.backlog('work')).running === 0);
    });

    it('that dies of a task each time makes it a dead one after a number of take-overs, and no other task', async () => {
      const queue = await fixture.connect({ maxTakeOvers: 2 });
      await queue.add('work', [fixture.task('poison')]);
      for (let deaths = 0; deaths < 3; deaths += 1) {
        const { child, said } = startWorker();
        await eventually(() => said.some(({ began }) => began === 'poison'), `try ${deaths + 1} of the task`);
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
      await queue.add('work', [fixture.task('other')]);
      const done: string[] = [];
      const givenUp: unknown[] = [];
      await queue.work(fixture.worker(({ id }) => void done.push(id), { giveUp: async ({ id }, error) => void givenUp.push([id, error]) }));
      await eventually(async () => (await queue.backlog('work')).dead === 1, 'the dead task');
      await eventually(() => done.length === 1, 'the other task');
      expect(done).toEqual(['other']);
      expect(givenUp).toEqual([['poison', expect.objectContaining({ code: 'internal' })]]);
      expect(await queue.deadTasks.list()).toMatchObject([{ task: { id: 'poison' }, reason: 'internal: 3 workers died or lost contact while they had the task.' }]);
      await queue.deadTasks.replay('work', 'poison');
      await eventually(() => done.length === 2, 'the replayed task');
      expect(done).toEqual(['other', 'poison']);
    });

    it('that is paused for longer than its lease loses its task, and stops working on it once it goes on', async () => {
      const queue = await fixture.connect();
      const { child, said } = startWorker();
      await queue.add('work', [fixture.task('a')]);
      await eventually(() => said.length === 1, 'the task of the process');
      child.kill('SIGSTOP');
      const done: string[] = [];
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await eventually(() => done.length === 1, 'taking over');
      child.kill('SIGCONT');
      await eventually(() => said.length === 2, 'the end of the lease');
      expect(said).toEqual([{ began: 'a' }, { aborted: 'a', code: 'lease_lost' }]);
      expect(done).toEqual(['a']);
      expect(await queue.backlog('work')).toMatchObject({ waiting: 0, delayed: 0, running: 0, dead: 0 });
    });
  });
}
