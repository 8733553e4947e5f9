import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EVENTS, type Topic } from '@parlance/contracts';
import { AppError, systemClock, ulidGenerator } from '@parlance/platform';
import { GroupCommit, openSqliteDatabase } from '@parlance/platform/sqlite';
import { stampEvent } from '../event-json.js';
import { EventLog } from './event-log.js';
import { toEventRow } from './event-row.js';
import { LogErasures } from './log-erasures.js';
import { MIGRATIONS } from './schema.js';

const TOPIC: Topic = 'parlance.jobs.v1';
const stamps = { clock: systemClock, ids: ulidGenerator(), source: 'test' };

describe('the events of erased jobs', () => {
  let folder: string;
  let log: EventLog;
  let commits: GroupCommit;
  let erasures: LogErasures;
  let beside: DatabaseSync;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-log-erasures-'));
    const database = openSqliteDatabase(join(folder, 'events.db'), MIGRATIONS);
    log = new EventLog(database);
    commits = new GroupCommit(database, () => new AppError({ kind: 'unavailable', code: 'database_closed', message: 'Closed.' }));
    erasures = new LogErasures(log, commits);
    beside = new DatabaseSync(join(folder, 'events.db'), { readOnly: true });
    log.join('slow', TOPIC, 0);
  });
  afterEach(async () => {
    beside.close();
    commits.close();
    log.close();
    await rm(folder, { recursive: true });
  });

  const publish = (jobId: string) =>
    log.append(TOPIC, 0, toEventRow(stampEvent({ type: 'job.progressed', data: EVENTS['job.progressed'].codec.fromJSON({ jobId }) }, stamps)));
  const erase = (key: string) => erasures.erase({ key, keptEvent: '' }, 0);
  const keys = () => beside.prepare('SELECT key FROM events ORDER BY position').all().map(({ key }) => key);
  /** Changes with each commit of another connection. */
  const version = () => beside.prepare('PRAGMA data_version').get()?.['data_version'];

  it('do not wait for a group that is done with them and not with one before them', async () => {
    ['long', 'job', 'other'].forEach(publish);
    log.settle('slow', TOPIC, [2], 0);
    await erase('job');
    await erase('other');
    expect(keys()).toEqual(['long', 'other']);
    log.settle('slow', TOPIC, [3], 0);
    await erasures.sweep('unfinished', 0);
    expect(keys()).toEqual(['long']);
  });

  it('cost no write while a group has yet to handle them', async () => {
    ['job', 'other'].forEach(publish);
    await erase('job');
    await erase('other');
    const before = version();
    await erasures.sweep('unfinished', 0);
    expect(version()).toBe(before);
  });

  it('go together, and however many there are', async () => {
    const jobs = Array.from({ length: 150 }, (_, job) => `job_${job}`);
    for (const job of jobs) for (let event = 0; event < 8; event += 1) publish(job);
    for (const job of jobs) log.requestErasure({ key: job, keptEvent: '' }, 0);
    log.settle('slow', TOPIC, [], 150 * 8);
    const run = jest.spyOn(commits, 'run');
    await erasures.sweep('unfinished', 0);
    expect(keys()).toEqual([]);
    expect(run.mock.calls.length).toBeLessThan(8);
    await erasures.sweep('all', 1);
    await erasures.sweep('all', 25 * 60 * 60 * 1000);
    expect(beside.prepare('SELECT * FROM erasures').all()).toEqual([]);
  });

  it('are looked for by one sweep at a time', async () => {
    publish('job');
    await erase('job');
    const look = jest.spyOn(log, 'erasures');
    const running = erasures.sweep('unfinished', 0);
    await Promise.all([erasures.sweep('unfinished', 0), erasures.sweep('unfinished', 0)]);
    await running;
    const looks = look.mock.calls.length;
    await erasures.sweep('unfinished', 0);
    expect(look.mock.calls.length).toBe(looks * 2);
  });
});
