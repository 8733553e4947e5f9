import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock } from '@parlance/platform';
import { describeTaskQueueContract } from '../contract/index.js';
import { eventually } from '@parlance/platform/contract';
import { openTaskQueue } from '../open-task-queue.js';

describeTaskQueueContract('the task queue in a SQLite file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-tasks-'));
  const url = `sqlite:${join(folder, 'tasks.db')}`;
  return {
    url,
    service: 'contract',
    connect: (options) => openTaskQueue(url, { clock: systemClock, log: silentLogger(), graceMs: 50, ...options }),
    dispose: () => rm(folder, { recursive: true }),
  };
});

describe('the owner of the file', () => {
  it('has the leases of the process before it at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-tasks-'));
    const options = { clock: systemClock, log: silentLogger(), graceMs: 50, isOwner: true };
    const copy = join(folder, 'killed.db');
    const worker = { queue: 'work', capacity: 1, deadlineMs: 60_000, retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 } };
    const before = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, options);
    let begun = false;
    await before.work({ ...worker, perform: () => ((begun = true), new Promise<void>(() => {})) });
    await before.add('work', [{ id: 'a', accountId: 'acc_1', payload: {} }]);
    await eventually(() => begun);
    // As a killed process leaves it.
    const file = new DatabaseSync(join(folder, 'tasks.db'));
    file.prepare('VACUUM INTO ?').run(copy);
    file.close();
    await before.close();

    const after = await openTaskQueue(`sqlite:${copy}`, options);
    const attempts: number[] = [];
    await after.work({ ...worker, perform: async ({ attempt }) => void attempts.push(attempt) });
    await eventually(async () => attempts.length === 1 && (await after.backlog('work')).running === 0);
    expect(attempts).toEqual([1]);
    await after.close();
    await rm(folder, { recursive: true });
  });
});
