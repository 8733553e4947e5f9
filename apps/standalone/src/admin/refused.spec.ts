import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import { openEventBus, stampEvent, type EventBus, type OutboxEvent } from '@parlance/event-bus';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocuments, portUrls } from '@parlance/runtime/open-ports';
import type { DocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import * as runs from '../../test/admin-runs.js';

const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger() };

const eventOf = (jobId: string): OutboxEvent =>
  stampEvent({ type: 'job.started', data: EVENTS['job.started'].codec.fromJSON({ jobId, sequence: 1 }) }, { ...dependencies, source: 'ingest' });

describe('parlance-admin refused', () => {
  let dataFolder: string;
  let bus: EventBus;
  let databases: DocumentDatabase[];
  let large: OutboxEvent;
  let older: OutboxEvent;

  const admin = (...args: string[]) => runs.admin(['refused', ...args], { PARLANCE_DATA: dataFolder });
  const adminProgram = (...args: string[]) => runs.adminProgram(['refused', ...args], { PARLANCE_DATA: dataFolder });
  const json = async (...args: string[]) => JSON.parse((await admin(...args, '--json')).stdout);
  const ids = async (...args: string[]) => (await json('list', ...args)).map(({ id }: { id: string }) => id);


  /** Two services that run on, each with an event aside. */
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'parlance-refused-'));
    const urls = portUrls({ PARLANCE_DATA: dataFolder });
    bus = await openEventBus(urls.bus, dependencies);
    databases = [await openDocuments(urls, 'search', dependencies), await openDocuments(urls, 'ingest', dependencies)];
    [older, large] = [eventOf('job_1'), eventOf('job_2')];
    await databases[0]?.outbox.setAside(older, 'event_unknown: Unknown.');
    const setAside = systemClock.now();
    await eventually('a later time', () => systemClock.now() > setAside);
    await databases[1]?.outbox.setAside(large, 'event_too_large: Too large.');
  });

  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await bus.close();
    await rm(dataFolder, { recursive: true });
  });

  it('lists those of all services, for a person and for a script, and shows one', async () => {
    const { stdout } = await adminProgram('list');
    expect(stdout).toContain('ingest   job.started  job_2  event_too_large: Too large.');
    expect(await ids()).toEqual([older.id, large.id]);
    expect(await ids('--limit', '1')).toEqual([older.id]);
    expect(await ids('--service', 'ingest')).toEqual([large.id]);
    expect(await json('show', large.id)).toMatchObject({ service: 'ingest', reason: 'event_too_large: Too large.', event: { type: 'job.started', data: { jobId: 'job_2' } } });
    expect((await admin('show', large.id)).stdout).toMatch(/^id: +evt_\S+\nservice: +ingest\n[^]*"jobId": "job_2"/);
  });

  it('publishes one when its cause is mended, to running servers', async () => {
    const heard: string[] = [];
    await bus.subscribe({ group: 'summary', topic: 'parlance.jobs.v1', handlers: { 'job.started': async ({ event }) => void heard.push(event.id) } });
    expect(await adminProgram('replay', large.id)).toEqual({ code: 0, stdout: `replayed ${large.id}\n`, stderr: '' });
    await eventually('the event', () => heard.length > 0);
    expect([heard, await ids()]).toEqual([[large.id], [older.id]]);
  });

  it('drops them for good', async () => {
    expect((await json('drop', '--all', '--service', 'search')).dropped).toEqual([older.id]);
    expect(await admin('drop', older.id)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('was not found') });
    expect((await json('drop', '--all')).dropped).toEqual([large.id]);
    expect(await admin('list')).toEqual({ code: 0, stdout: 'No refused events.\n', stderr: '' });
    expect(await admin('replay', '--all')).toMatchObject({ code: 0, stdout: 'No refused events.\n' });
  });

  it('refuses wrong usage, and makes nothing where nothing is', async () => {
    expect(await admin('replay')).toMatchObject({ code: 2, stderr: expect.stringContaining('give ids, or --all') });
    expect(await admin('list', '--service', 'billing')).toMatchObject({ code: 2, stderr: expect.stringContaining('ingest') });
    const empty = await mkdtemp(join(dataFolder, 'empty-'));
    expect(await runs.admin(['refused', 'list'], { PARLANCE_DATA: empty })).toMatchObject({ code: 1, stderr: expect.stringContaining('There are no documents') });
    expect(await readdir(empty)).toEqual([]);
  });
});
