import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { events } from '@parlance/contracts';
import { openEventBus, type EventBus, type OutboxEvent } from '@parlance/event-bus';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import * as runs from '../../test/admin-runs.js';

const ids = ulidGenerator();
const SERVER_COMMANDS = [['topics'], ['indexes'], ['search', 'migrate'], ['search', 'reindex'], ['search', 'purge']];

describe('parlance-admin dead-letters', () => {
  let dataFolder: string;
  let bus: EventBus;
  let broken: boolean;
  let handled: string[];

  const admin = (...args: string[]) => runs.admin(args, { PARLANCE_DATA: dataFolder });
  const adminProgram = (...args: string[]) => runs.adminProgram(args, { PARLANCE_DATA: dataFolder });
  const json = async (...args: string[]) => JSON.parse((await admin(...args, '--json')).stdout);


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
    expect(await adminProgram('dead-letters', 'list')).toEqual({ code: 0, stdout: 'No dead letters.\n', stderr: '' });
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
    expect(await adminProgram('dead-letters', 'replay', id)).toEqual({ code: 0, stdout: `replayed ${id}\n`, stderr: '' });
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
    expect(await adminProgram('dead-letters', 'show', id)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('was not found') });
    expect(await admin('dead-letters', 'drop', id)).toMatchObject({ code: 3 });
    expect(await admin('dead-letters', 'replay', id)).toMatchObject({ code: 3 });
  });

  it('explains itself, and wrong usage with exit code 2', async () => {
    expect(await adminProgram('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('dead-letters') });
    expect(await admin('dead-letters', '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('replay') });
    expect(await admin('dead-letters', 'list', '--topic', 'nonsense')).toMatchObject({ code: 2, stderr: expect.stringContaining('parlance.jobs.v1') });
    expect(await admin('dead-letters', 'list', '--limit', 'many')).toMatchObject({ code: 2 });
    expect(await admin('dead-letters', 'replay')).toMatchObject({ code: 2, stderr: expect.stringContaining('give ids, or --all') });
    expect(await admin('dead-letters', 'drop', 'id', '--all')).toMatchObject({ code: 2 });
    expect(await adminProgram('burn')).toMatchObject({ code: 2 });
  });

  it('has nothing to prepare where no server is', async () => {
    expect(await adminProgram('topics')).toEqual({ code: 0, stdout: 'Nothing to do: EVENT_BUS_URL is not Kafka.\n', stderr: '' });
    expect(await adminProgram('indexes')).toEqual({ code: 0, stdout: 'Nothing to do: DATABASE_URL is not MongoDB.\n', stderr: '' });
    expect(await json('topics')).toEqual([]);
    expect(await json('indexes')).toEqual({});
    for (const [command = '', ...rest] of SERVER_COMMANDS) {
      expect(await admin(command, ...rest, '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--timeout') });
      expect(await admin(command, ...rest, '--timeout', 'soon')).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it('has nothing to look after in an embedded search index', async () => {
    for (const command of ['migrate', 'reindex', 'purge']) {
      expect(await admin('search', command)).toEqual({ code: 0, stdout: 'Nothing to do: SEARCH_URL is not OpenSearch.\n', stderr: '' });
    }
    expect(await json('search', 'migrate')).toEqual({});
    expect(await runs.admin(['search', 'migrate'], { SEARCH_URL: 'http://search/parlance' })).toMatchObject({ code: 2, stderr: expect.stringContaining('SEARCH_URL') });
    expect(await runs.admin(['search', 'migrate'], { SEARCH_DIMENSIONS: 'many' })).toMatchObject({ code: 2, stderr: expect.stringContaining('SEARCH_DIMENSIONS') });
  });

  it('makes nothing where there is no installation', async () => {
    const elsewhere = join(dataFolder, 'elsewhere');
    await mkdir(elsewhere);
    const result = await runs.admin(['dead-letters', 'list'], { PARLANCE_DATA: elsewhere });
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('PARLANCE_DATA') });
    expect(await readdir(elsewhere)).toEqual([]);
  });
});
