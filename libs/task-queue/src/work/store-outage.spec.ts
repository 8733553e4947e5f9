import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, silentLogger } from '@parlance/platform';
import { eventually } from '@parlance/platform/contract';
import { Gate, QUICK_TIMES, type Payload } from '../contract/queue-fixture.js';
import { SqliteTaskStore } from '../sqlite/sqlite-task-store.js';
import type { TaskStore } from '../store/task-store.js';
import type { TaskWorker } from '../task-queue.js';
import { LeasedTaskQueue } from './leased-task-queue.js';

describe('while the store is away', () => {
  let folder: string;
  let isAway: boolean;
  /** Leases end by this clock, so that the tests do not wait for their end. */
  let aheadMs: number;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const queues: LeasedTaskQueue[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-tasks-'));
    isAway = false;
    aheadMs = 0;
  });
  afterEach(async () => {
    isAway = false;
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
    await rm(folder, { recursive: true });
  });

  /** A queue whose store answers nothing while the server is away. */
  function connect(outcomes: string[] = []): LeasedTaskQueue {
    const options = { clock, log: silentLogger(), graceMs: 50, times: QUICK_TIMES };
    const store = SqliteTaskStore.open(join(folder, 'tasks.db'), { ...options, leaseMs: QUICK_TIMES.leaseMs });
    const behind = new Proxy(store, {
      get: (target, name: keyof TaskStore) => async (...args: never[]) => {
        if (isAway && name !== 'close') throw new AppError({ kind: 'unavailable', code: 'database_unavailable', message: 'The database cannot be used now.' });
        return (target[name] as (...args: never[]) => unknown).apply(target, args);
      },
    });
    const queue = new LeasedTaskQueue(behind, { ...options, observer: { ended: (_, outcome) => void outcomes.push(outcome) } });
    queues.push(queue);
    return queue;
  }

  /** The store goes away, heartbeats of both queues fail, and the leases end. */
  async function outlastLease(): Promise<void> {
    isAway = true;
    await pause(3 * QUICK_TIMES.heartbeatMs);
    aheadMs += 2 * QUICK_TIMES.leaseMs;
  }

  const worker = (perform: TaskWorker<Payload>['perform']): TaskWorker<Payload> => ({ queue: 'work', capacity: 1, deadlineMs: 60_000, retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }, perform });

  it('work goes on for longer than its lease lasts, keeps it, and its end is stored when the store is back', async () => {
    const gate = new Gate();
    const outcomes: string[] = [];
    let begun = 0;
    let isAborted = false;
    const perform: TaskWorker<Payload>['perform'] = async ({ id }, { signal }) => {
      begun += 1;
      signal.addEventListener('abort', () => (isAborted = true));
      await gate.pass(id, signal);
    };
    const [one, other] = [connect(outcomes), connect(outcomes)];
    await one.work(worker(perform));
    await other.work(worker(perform));
    await one.add('work', [{ id: 'a', accountId: 'acc_1', payload: { text: '' } }]);
    await eventually(() => gate.inside.length === 1);
    await outlastLease();
    gate.open();
    await pause(QUICK_TIMES.heartbeatMs);
    expect(outcomes).toEqual([]);
    isAway = false;
    await eventually(() => outcomes.length > 0);
    expect({ outcomes, begun, isAborted }).toEqual({ outcomes: ['completed'], begun: 1, isAborted: false });
    expect(await one.backlog('work')).toMatchObject({ waiting: 0, running: 0 });
  });

  it('the lease of running work outlasts the outage', async () => {
    const gate = new Gate();
    let begun = 0;
    const perform: TaskWorker<Payload>['perform'] = ({ id }, { signal }) => ((begun += 1), gate.pass(id, signal));
    const [one, other] = [connect(), connect()];
    await one.work(worker(perform));
    await other.work(worker(perform));
    await one.add('work', [{ id: 'a', accountId: 'acc_1', payload: { text: '' } }]);
    await eventually(() => gate.inside.length === 1);
    await outlastLease();
    isAway = false;
    // The other worker takes over what has expired after one and a half heartbeats of contact.
    await pause(10 * QUICK_TIMES.heartbeatMs);
    expect(begun).toBe(1);
    gate.open();
    await eventually(async () => (await one.backlog('work')).running === 0);
    expect(begun).toBe(1);
  });
});
