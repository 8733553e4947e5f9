import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { events } from '@parlance/contracts';
import { openEventBus, type EventBus, type OutboxEvent } from '@parlance/event-bus';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { eventually } from '@parlance/testing';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const MAIN = join('apps', 'standalone', 'dist', 'admin', 'main.js');
const ids = ulidGenerator();

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

const run = (program: string[], env: Record<string, string>): Promise<Result> =>
  new Promise((resolve) => {
    execFile(process.execPath, program, { cwd: root, env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

describe('parlance-admin dead-letters', () => {
  let dataFolder: string;
  let bus: EventBus;
  let broken: boolean;
  let handled: string[];

  const admin = (...args: string[]) => run([MAIN, ...args], { PARLANCE_DATA: dataFolder });
  const json = async (...args: string[]) => JSON.parse((await admin(...args, '--json')).stdout);

  beforeAll(async () => {
    expect(await run([join('scripts', 'build.mjs')], {})).toMatchObject({ code: 0 });
  });

  /** A server that runs on: its bus is open, and its handler fails until it is mended. */
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'parlance-admin-'));
    bus = await openEventBus(`sqlite:${join(dataFolder, 'events.db')}`, { clock: systemClock, log: silentLogger() });
    broken = true;
    handled = [];
    await bus.subscribe({
      group: 'webhook-dispatcher',
      topic: 'parlance.jobs.v1',
      retry: { maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1 },
      handlers: {
        'job.started': async ({ event }) => {
          if (broken) throw new Error('The database is away.');
          handled.push(event.data.jobId);
        },
      },
    });
  });

  afterEach(async () => {
    await bus.close();
    await rm(dataFolder, { recursive: true });
  });

  async function letDie(...jobIds: string[]): Promise<void> {
    const before = (await bus.deadLetters.list()).length;
    const dying = jobIds.map((jobId): OutboxEvent => {
      const data = events.JobEvent.fromPartial({ jobId, accountId: 'acc_1', sequence: 1, occurredAt: new Date() });
      return { id: ids.next('evt'), type: 'job.started', source: 'ingest', time: systemClock.now().toISOString(), key: jobId, data };
    });
    await bus.publish(dying);
    await eventually('the dead letters', async () => (await bus.deadLetters.list()).length === before + jobIds.length);
  }

  it('lists them for a person and for a script', async () => {
    expect(await admin('dead-letters', 'list')).toEqual({ code: 0, stdout: 'No dead letters.\n', stderr: '' });
    await letDie('job_1');
    const { stdout } = await admin('dead-letters', 'list');
    expect(stdout).toContain('webhook-dispatcher  job.started  job_1');
    const [letter] = await json('dead-letters', 'list');
    expect(letter).toMatchObject({
      group: 'webhook-dispatcher',
      topic: 'parlance.jobs.v1',
      attempts: 2,
      event: { type: 'job.started', data: { jobId: 'job_1', sequence: 1 } },
    });
    expect(await json('dead-letters', 'list', '--group', 'ingest')).toEqual([]);
    expect(await json('dead-letters', 'list', '--topic', 'parlance.media.v1')).toEqual([]);
  });

  it('shows one with its event', async () => {
    await letDie('job_1');
    const [{ id }] = await json('dead-letters', 'list');
    const { stdout } = await admin('dead-letters', 'show', id);
    expect(stdout).toMatch(/^id: +\S+\ngroup: +webhook-dispatcher\n/);
    expect(stdout).toContain('"jobId": "job_1"');
    expect(await json('dead-letters', 'show', id)).toMatchObject({ id });
  });

  it('has a running server handle it again', async () => {
    await letDie('job_1');
    const [{ id }] = await json('dead-letters', 'list');
    broken = false;
    expect(await admin('dead-letters', 'replay', id)).toEqual({ code: 0, stdout: `replayed ${id}\n`, stderr: '' });
    await eventually('the replayed event', () => handled.length === 1);
    expect(handled).toEqual(['job_1']);
    expect(await json('dead-letters', 'list')).toEqual([]);
  });

  it('takes all at once', async () => {
    await letDie('job_1', 'job_2', 'job_3');
    broken = false;
    expect((await json('dead-letters', 'replay', '--all', '--group', 'webhook-dispatcher')).replayed).toHaveLength(3);
    await eventually('the replayed events', () => handled.length === 3);
    expect(await admin('dead-letters', 'drop', '--all')).toMatchObject({ code: 0, stdout: 'No dead letters.\n' });
  });

  it('drops one for good', async () => {
    await letDie('job_1');
    const [{ id }] = await json('dead-letters', 'list');
    expect(await admin('dead-letters', 'drop', id)).toMatchObject({ code: 0, stdout: `dropped ${id}\n` });
    expect(await admin('dead-letters', 'show', id)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('was not found') });
    expect(await admin('dead-letters', 'drop', id)).toMatchObject({ code: 3 });
    expect(await admin('dead-letters', 'replay', id)).toMatchObject({ code: 3 });
  });

  it('explains itself, and wrong usage with exit code 2', async () => {
    expect(await admin('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('dead-letters') });
    expect(await admin('dead-letters', '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('replay') });
    expect(await admin('dead-letters', 'list', '--topic', 'nonsense')).toMatchObject({ code: 2, stderr: expect.stringContaining('parlance.jobs.v1') });
    expect(await admin('dead-letters', 'list', '--limit', 'many')).toMatchObject({ code: 2 });
    expect(await admin('dead-letters', 'replay')).toMatchObject({ code: 2, stderr: expect.stringContaining('give ids, or --all') });
    expect(await admin('dead-letters', 'drop', 'id', '--all')).toMatchObject({ code: 2 });
    expect(await admin('burn')).toMatchObject({ code: 2 });
  });

  it('makes nothing where there is no installation', async () => {
    const elsewhere = join(dataFolder, 'elsewhere');
    await mkdir(elsewhere);
    const result = await run([MAIN, 'dead-letters', 'list'], { PARLANCE_DATA: elsewhere });
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('PARLANCE_DATA') });
    expect(await readdir(elsewhere)).toEqual([]);
  });
});
