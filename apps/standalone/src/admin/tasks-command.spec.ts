import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock } from '@parlance/platform';
import { openTaskQueue, type TaskQueue } from '@parlance/task-queue';
import { eventually } from '@parlance/testing';
import { runAdmin } from './run-admin.js';

describe('parlance-admin tasks, beside a running server', () => {
  let dataFolder: string;
  let server: TaskQueue;
  let isBroken: boolean;
  let done: string[];

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'parlance-tasks-'));
    server = await openTaskQueue(`sqlite:${join(dataFolder, 'tasks.db')}`, { clock: systemClock, log: silentLogger(), isOwner: true });
    isBroken = true;
    done = [];
    await server.work({
      queue: 'transcription',
      capacity: 1,
      deadlineMs: 60_000,
      retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 },
      perform: async ({ id }) => {
        if (isBroken) throw new Error('the engine is gone');
        done.push(id);
      },
    });
    await server.add('transcription', ['job_1/1/0', 'job_1/1/1'].map((id) => ({ id, accountId: 'acc_1', group: 'job_1', payload: { jobId: 'job_1' } })));
    await eventually('dead tasks', async () => (await server.backlog('transcription')).dead === 2);
  });
  afterEach(async () => {
    await server.close();
    await rm(dataFolder, { recursive: true });
  });

  async function admin(...words: string[]): Promise<{ code: number; out: string; error: string }> {
    let [out, error] = ['', ''];
    const code = await runAdmin(['node', 'parlance-admin', 'tasks', ...words], {
      env: { PARLANCE_DATA: dataFolder },
      writeOut: (text) => void (out += text),
      writeError: (text) => void (error += text),
    });
    return { code, out, error };
  }

  it('lists them with their reasons', async () => {
    expect((await admin('list')).out).toMatch(/transcription +job_1\/1\/[01] .* acc_1 +1 +internal: the engine is gone/);
    const found = JSON.parse((await admin('list', '--queue', 'transcription', '--json')).out) as unknown[];
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({ queue: 'transcription', group: 'job_1', payload: { jobId: 'job_1' } });
    expect((await admin('list', '--queue', 'search')).out).toBe('No dead tasks.\n');
    expect((await admin('show', 'transcription', 'job_1/1/0')).out).toContain('"jobId": "job_1"');
  });

  it('puts them back into their queue, where the server does them', async () => {
    isBroken = false;
    expect(await admin('replay', 'transcription', 'job_1/1/1')).toMatchObject({ code: 0, out: '1 replayed\n' });
    await eventually('the task', () => done.length === 1);
    expect((await admin('replay', 'transcription', '--all')).out).toBe('1 replayed\n');
    await eventually('the other task', () => done.length === 2);
    expect(await admin('replay', 'transcription', 'job_1/1/1')).toMatchObject({ code: 3, error: expect.stringContaining('not found') });
  });

  it('removes them', async () => {
    expect((await admin('drop', 'transcription', 'job_1/1/0')).out).toBe('1 dropped\n');
    expect((await server.backlog('transcription')).dead).toBe(1);
  });

  it('says where there is no queue', async () => {
    await server.close();
    await rm(join(dataFolder, 'tasks.db'));
    expect(await admin('list')).toMatchObject({ code: 1, error: expect.stringContaining('There is no task queue at') });
  });
});
