import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, type Clock } from '@parlance/platform';
import { eventually } from '@parlance/platform/contract';
import { SqliteTaskStore } from '../sqlite/sqlite-task-store.js';
import type { TaskStore } from '../store/task-store.js';
import type { NewTask, TaskLimit, TaskWorker } from '../task-queue.js';
import { LeasedTaskQueue } from './leased-task-queue.js';
import { WorkerPlaces } from './places.js';
import { DEFAULT_LEASE_TIMES } from './queue-options.js';

const byAccount: TaskLimit = { nameOf: ({ accountId }) => accountId, part: 1 / 4, min: 2 };
const byOrigin: TaskLimit = { nameOf: ({ group }) => group, part: 1 / 4, min: 1 };
const limits = [byAccount, byOrigin];
const lane = (accountId: string, group: string) => ({ accountId, group });

describe('the places of a worker', () => {
  it('are limited to a quarter for each account and origin, and an account gets two of any number', () => {
    const places = new WorkerPlaces({ capacity: 4, limits }, () => undefined);
    expect(places.isFreeFor(lane('acc_1', 'a'))).toBe(true);
    places.take(lane('acc_1', 'a'));
    expect(places.isFreeFor(lane('acc_2', 'a'))).toBe(false);
    expect(places.isFreeFor(lane('acc_1', 'b'))).toBe(true);
    places.take(lane('acc_1', 'b'));
    expect(places.isFreeFor(lane('acc_1', 'c'))).toBe(false);
    expect(places.isFreeFor(lane('acc_2', 'c'))).toBe(true);
  });

  it('are left to others by a task that is slow, up to a bound for all', async () => {
    let freed = 0;
    const places = new WorkerPlaces({ capacity: 1, slow: { afterMs: 0, capacity: 8 }, limits }, () => (freed += 1));
    for (let nth = 0; nth < 8; nth += 1) {
      expect(places.free).toBe(1);
      places.take(lane(`acc_${nth}`, `${nth}`));
      expect(places.free).toBe(0);
      await eventually(() => freed === nth + 1);
    }
    expect(places.free).toBe(0);
  });

  it('come back with the end of a task', () => {
    const places = new WorkerPlaces({ capacity: 1, limits }, () => undefined);
    const leave = places.take(lane('acc_1', 'a'));
    expect([places.free, places.isFreeFor(lane('acc_2', 'a'))]).toEqual([0, false]);
    leave();
    expect([places.free, places.isFreeFor(lane('acc_2', 'a'))]).toEqual([1, true]);
  });
});

describe('a worker whose places are limited', () => {
  let folder: string;
  let calls: Partial<Record<keyof TaskStore, number>>;
  const queues: LeasedTaskQueue[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-tasks-'));
    calls = {};
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
    await rm(folder, { recursive: true });
  });

  function connect(clock: Clock = systemClock): LeasedTaskQueue {
    const options = { clock, log: silentLogger(), graceMs: 50, times: DEFAULT_LEASE_TIMES };
    const store = SqliteTaskStore.open(join(folder, 'tasks.db'), { ...options, leaseMs: DEFAULT_LEASE_TIMES.leaseMs });
    const counted = new Proxy(store, {
      get: (target, name: keyof TaskStore) => (...args: never[]) => {
        calls[name] = (calls[name] ?? 0) + 1;
        return (target[name] as (...args: never[]) => unknown).apply(target, args);
      },
    });
    const queue = new LeasedTaskQueue(counted, options);
    queues.push(queue);
    return queue;
  }
  const tasks = (accountId: string, count: number): NewTask[] => Array.from({ length: count }, (_, nth) => ({ id: `${accountId} ${nth}`, accountId, group: `${accountId} ${nth}`, payload: {} }));
  const worker = (perform: TaskWorker['perform']): TaskWorker => ({ queue: 'work', capacity: 8, limits, deadlineMs: 60_000, retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }, perform });
  const hang = (signal: AbortSignal) => new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

  it('asks its store next to nothing for a task, however many of an account wait for their share', async () => {
    const queue = connect();
    const done: string[] = [];
    await queue.add('work', tasks('hanging', 2000));
    await queue.work(worker(async ({ id, accountId }, { signal }) => (accountId === 'hanging' ? hang(signal) : void done.push(id))));
    await eventually(async () => (await queue.backlog('work')).running === 2);
    calls = {};
    for (let nth = 0; nth < 50; nth += 1) {
      await queue.wake('work', tasks(`quick_${nth}`, 1));
      await eventually(() => done.length === nth + 1);
    }
    expect(calls.claim).toBeLessThanOrEqual(3 * 50);
    // By time, not by task.
    expect(calls.look ?? 0).toBeLessThan(50);
  });

  it('asks for a task that waits alone, and once more for another, however many places are free', async () => {
    const queue = connect();
    let done = 0;
    await queue.work({ ...worker(async () => void (done += 1)), capacity: 16, limits: [] });
    for (let nth = 0; nth < 20; nth += 1) {
      await queue.wake('work', tasks(`quick_${nth}`, 1));
      await eventually(() => done === nth + 1);
    }
    await eventually(async () => (await queue.backlog('work')).running === 0);
    expect(calls.claim).toBeLessThanOrEqual(2 * 20);
  });

  it('finds each of those that wait once their share is free, and none twice', async () => {
    const queue = connect();
    const done: string[] = [];
    await queue.add('work', [...tasks('acc_1', 120), ...tasks('acc_2', 3)]);
    await queue.work(worker(async ({ id }) => void done.push(id)));
    await eventually(() => done.length === 123);
    expect(new Set(done).size).toBe(123);
  });

  it('finds one again that is due again at once', async () => {
    const queue = connect();
    let turns = 0;
    await queue.work(worker(async () => ((turns += 1) < 20 ? { again: new Date() } : undefined)));
    await queue.wake('work', tasks('acc_1', 1));
    await eventually(async () => turns === 20 && (await queue.backlog('work')).running === 0);
    expect(calls.look ?? 0).toBeLessThan(20);
  });

  it('finds what another process added with a clock that is behind', async () => {
    const queue = connect();
    let done = 0;
    await queue.work(worker(async () => void (done += 1)));
    const behind = connect({ now: () => new Date(Date.now() - 5000) });
    await behind.wake('work', tasks('acc_1', 1));
    await eventually(() => done === 1);
  });
});
