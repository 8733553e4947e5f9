import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENTS, TOPICS } from '@parlance/contracts';
import { silentLogger, systemClock } from '@parlance/platform';
import { openSqliteDatabase } from '@parlance/platform/sqlite';
import { BusFixture, QUICK_RETRY } from '../contract/bus-fixture.js';
import { eventually } from '../contract/index.js';
import type { Consumer, OutboxEvent } from '../event-bus.js';
import { openEventBus } from '../open-event-bus.js';
import { MIGRATIONS } from './schema.js';
import { SqliteEventBus } from './sqlite-event-bus.js';

const DAY = 24 * 60 * 60 * 1000;

describe('the file of SqliteEventBus', () => {
  let folder: string;
  let now: Date;
  const path = () => join(folder, 'events.db');
  const options = { clock: { now: () => now }, log: silentLogger(), graceMs: 50 };
  const connect = () => SqliteEventBus.open(path(), options);
  const fixture = new BusFixture(async () => ({ bus: await connect(), connect, dispose: async () => {} }));
  const rows = (sql: string) => {
    const database = new DatabaseSync(path(), { readOnly: true });
    try {
      return database.prepare(sql).all().map((row) => ({ ...row }));
    } finally {
      database.close();
    }
  };

  beforeEach(async () => {
    now = systemClock.now();
    folder = await mkdtemp(join(tmpdir(), 'parlance-bus-'));
    await fixture.setUp();
  });
  afterEach(async () => {
    await fixture.tearDown();
    await rm(folder, { recursive: true });
  });

  it('is not in order any more once the disk has failed, and is closed nevertheless', async () => {
    const file = openSqliteDatabase(join(folder, 'failing.db'), MIGRATIONS);
    const bus = new SqliteEventBus(file, { ...options, sync: () => Promise.reject(new Error('EIO')) });
    await expect(bus.check()).resolves.toBeUndefined();
    await expect(bus.publish([fixture.event('talk')])).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(bus.check()).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(bus.close()).rejects.toMatchObject({ code: 'storage_failed' });
    expect(file.isOpen).toBe(false);
  });

  it('is readable by its owner alone', async () => {
    expect((await stat(path())).mode & 0o777).toBe(0o600);
  });

  it('remembers what was finished behind something unfinished', async () => {
    const [slow, quick] = [fixture.name('slow'), fixture.name('quick')] as const;
    const events = [fixture.event(slow), fixture.event(quick), fixture.event(slow), fixture.event(quick)];
    const seen: string[] = [];
    const consumer = fixture.consumer([slow, quick], async ({ event, signal }) => {
      if (event.key === slow) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      seen.push(event.id);
    });
    const subscription = await fixture.bus.subscribe(consumer);
    await fixture.bus.publish(events);
    await eventually(() => seen.length === 2 && rows('SELECT * FROM done_events').length === 2);
    await subscription.close();

    const again: string[] = [];
    await fixture.bus.subscribe({ ...consumer, handlers: { 'job.progressed': async ({ event }) => void again.push(event.id) } });
    await eventually(() => again.length >= 2 && rows('SELECT * FROM done_events').length === 0);
    expect(again).toEqual([events[0]?.id, events[2]?.id]);
  });

  it('keeps little of a group that is done with everything', async () => {
    const jobs = Array.from({ length: 300 }, () => fixture.name('job'));
    let handled = 0;
    await fixture.bus.subscribe(fixture.consumer(jobs, () => void (handled += 1)));
    await fixture.bus.publish(jobs.map((job) => fixture.event(job)));
    await eventually(() => handled === jobs.length && Number(rows('SELECT floor FROM consumer_groups')[0]?.['floor']) === jobs.length);
    expect(rows('SELECT * FROM done_events')).toEqual([]);
  });

  it('passes over a long log of events that the group does not handle', async () => {
    await fixture.bus.publish(Array.from({ length: 3000 }, () => fixture.event(fixture.name('job'), 'job.started')));
    const job = fixture.name('job');
    let heard = false;
    await fixture.bus.subscribe(fixture.consumer([job], () => void (heard = true)));
    await fixture.bus.publish([fixture.event(job)]);
    await eventually(() => heard && Number(rows('SELECT floor FROM consumer_groups')[0]?.['floor']) === 3001);
  });

  it('remembers that it passed over events, when it closes and when nothing else happens', async () => {
    const floor = () => Number(rows('SELECT floor FROM consumer_groups')[0]?.['floor']);
    const consumer = fixture.consumer([], () => {});
    const closing = await fixture.bus.subscribe(consumer);
    await fixture.bus.publish([fixture.event(fixture.name('job'), 'job.started')]);
    await closing.close();
    expect(floor()).toBe(1);
    await fixture.bus.subscribe(consumer);
    await fixture.bus.publish([fixture.event(fixture.name('job'), 'job.started'), fixture.event(fixture.name('job'), 'job.started')]);
    await eventually(() => floor() === 3);
  });

  describe('of a job that was erased', () => {
    const said = 'a name that the caller gave';
    const personal = (job: string): OutboxEvent => {
      const data = EVENTS['job.progressed'].codec.fromJSON({ jobId: job, accountId: 'acc_1', metadata: { said } });
      return { ...fixture.event(job), data } as OutboxEvent;
    };
    const traces = async () => (await Promise.all([path(), `${path()}-wal`].map((file) => readFile(file)))).filter((bytes) => bytes.includes(said)).length;
    const types = () => rows('SELECT type FROM events ORDER BY position').map(({ type }) => type);
    const floorReaches = (floor: number) => eventually(() => rows('SELECT floor FROM consumer_groups').every((row) => row['floor'] === floor));

    it('keeps no byte of its events or its dead letters', async () => {
      const job = fixture.name('job');
      const consumer = fixture.consumer([job], () => Promise.reject(new Error('ill')));
      await fixture.bus.subscribe(consumer);
      const deleted = fixture.event(job, 'job.deleted');
      await fixture.bus.publish([personal(job), personal(job), deleted]);
      await eventually(async () => (await fixture.bus.deadLetters.list()).length === 2);
      await floorReaches(3);
      expect(await traces()).toBeGreaterThan(0);
      await fixture.bus.erase(job, { except: deleted.id });
      expect(types()).toEqual(['job.deleted']);
      await eventually(async () => (await traces()) === 0);
    });

    it('keeps what a group has yet to handle until it has, and then no dead letter of it', async () => {
      const [job, other] = [fixture.name('job'), fixture.name('job')] as const;
      let fail: (error: Error) => void = () => {};
      await fixture.bus.subscribe(fixture.consumer([job], () => new Promise((_, reject) => (fail = reject)), { retry: { ...QUICK_RETRY, maxAttempts: 1 } }));
      const deleted = fixture.event(job, 'job.deleted');
      await fixture.bus.publish([personal(job), deleted, fixture.event(other)]);
      await eventually(() => rows('SELECT * FROM done_events').length > 0);
      await fixture.bus.erase(job, { except: deleted.id });
      expect(types()).toEqual(['job.progressed', 'job.deleted', 'job.progressed']);
      fail(new Error('ill'));
      await floorReaches(3);
      await fixture.bus.trim();
      expect(types()).toEqual(['job.deleted', 'job.progressed']);
      expect(await fixture.bus.deadLetters.list()).toEqual([]);
      await eventually(async () => (await traces()) === 0);
    });

    it('remembers it for a day, for what comes late', async () => {
      const job = fixture.name('job');
      await fixture.bus.erase(job, { except: 'evt_deleted' });
      await fixture.bus.publish([personal(job)]);
      await fixture.bus.trim();
      expect(types()).toEqual([]);
      now = new Date(now.getTime() + DAY + 1);
      await fixture.bus.trim();
      expect(rows('SELECT * FROM erasures')).toEqual([]);
    });
  });

  describe('in time', () => {
    const retention = TOPICS['parlance.jobs.v1'].retentionMs;
    const after = (milliseconds: number) => (now = new Date(now.getTime() + milliseconds));
    const positions = () => rows('SELECT position FROM events ORDER BY position').map(({ position }) => position);
    /** Handles all but the jobs that it is to be stuck on. */
    const reader = (stuck: string[] = []): Consumer => ({
      ...fixture.consumer([], () => {}),
      handlers: {
        'job.progressed': async ({ event, signal }) => {
          if (stuck.includes(event.key)) await new Promise((resolve) => signal.addEventListener('abort', resolve));
          signal.throwIfAborted();
        },
      },
    });
    const floorReaches = (floor: number) => eventually(() => rows('SELECT floor FROM consumer_groups').every((row) => row['floor'] === floor));

    it('loses events that every group is done with, once their topic keeps them no longer', async () => {
      await fixture.bus.subscribe(reader());
      await fixture.bus.publish([fixture.event(fixture.name('job')), fixture.event(fixture.name('job'))]);
      after(retention - DAY);
      await fixture.bus.publish([fixture.event(fixture.name('job'))]);
      await floorReaches(3);
      await fixture.bus.trim();
      expect(positions()).toEqual([1, 2, 3]);
      after(DAY + 1);
      await fixture.bus.trim();
      expect(positions()).toEqual([3]);
    });

    it('keeps what a group has yet to handle', async () => {
      const stuck = fixture.name('job');
      await fixture.bus.subscribe(reader());
      await fixture.bus.subscribe(reader([stuck]));
      await fixture.bus.publish([fixture.event(fixture.name('job')), fixture.event(stuck), fixture.event(fixture.name('job'))]);
      await eventually(() => rows('SELECT floor FROM consumer_groups ORDER BY floor').map(({ floor }) => floor).join() === '1,3');
      after(retention + 1);
      await fixture.bus.trim();
      expect(positions()).toEqual([2, 3]);
    });

    it('loses dead letters after a month', async () => {
      const job = fixture.name('job');
      await fixture.bus.subscribe(fixture.consumer([job], () => Promise.reject(new Error('ill'))));
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(async () => (await fixture.bus.deadLetters.list()).length === 1);
      after(30 * DAY - 1);
      await fixture.bus.trim();
      expect(await fixture.bus.deadLetters.list()).toHaveLength(1);
      after(2);
      await fixture.bus.trim();
      expect(await fixture.bus.deadLetters.list()).toEqual([]);
    });

    it('waits no longer for a group that is not seen for as long', async () => {
      const subscription = await fixture.bus.subscribe(reader());
      await fixture.bus.publish([fixture.event(fixture.name('job'))]);
      await floorReaches(1);
      await subscription.close();
      await fixture.bus.publish([fixture.event(fixture.name('job'))]);
      after(retention + 1);
      await fixture.bus.trim();
      expect(positions()).toEqual([]);
      expect(rows('SELECT * FROM consumer_groups')).toEqual([]);
    });
  });

  it('says so when it can grow no more, and goes on when it can', async () => {
    const database = openSqliteDatabase(path(), MIGRATIONS);
    const bus = new SqliteEventBus(database, options);
    const job = fixture.name('job');
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    const many = Array.from({ length: 200 }, () => fixture.event(job));
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const publishing = bus.publish(many);
    await expect(publishing).rejects.toMatchObject({ code: 'storage_full', retryable: true });
    database.exec('PRAGMA max_page_count = 1000000');
    await bus.publish(many);
    expect(rows('SELECT event_id FROM events').map(({ event_id: id }) => id)).toEqual(many.map(({ id }) => id));
    await bus.close();
  });

  it('gives up an event whose row is damaged, and tells of it', async () => {
    const job = fixture.name('job');
    const [torn, good] = [fixture.event(job), fixture.event(job)] as const;
    await fixture.bus.publish([torn, good]);
    const database = new DatabaseSync(path());
    database.prepare('UPDATE events SET data = ? WHERE event_id = ?').run('{"jobId": "torn', torn.id);
    database.close();
    let deadLettered = 0;
    const handled: string[] = [];
    await fixture.bus.subscribe(fixture.consumer([job], ({ event }) => void handled.push(event.id), { deadLettered: () => void (deadLettered += 1) }));
    await eventually(() => handled.length === 1);
    expect([handled, deadLettered]).toEqual([[good.id], 1]);
  });

  it('keeps an event unacknowledged while the acknowledgement cannot be stored, and redelivers it', async () => {
    const database = openSqliteDatabase(path(), MIGRATIONS);
    const bus = new SqliteEventBus(database, options);
    const job = fixture.name('job');
    let handled = 0;
    await bus.publish([fixture.event(job)]);
    const consumer = fixture.consumer([job], () => {
      handled += 1;
      database.exec('PRAGMA query_only = ON');
    });
    const subscription = await bus.subscribe(consumer);
    await eventually(() => handled === 1);
    await subscription.close();
    database.exec('PRAGMA query_only = OFF');
    await bus.close();
    await fixture.bus.subscribe({ ...consumer, handlers: { 'job.progressed': async () => void (handled += 1) } });
    await eventually(() => handled === 2);
  });
});

describe('openEventBus', () => {
  it.each(['amqp://broker', 'sqlite:', 'events.db'])('says what it takes when it is given %s', async (url) => {
    await expect(openEventBus(url, { clock: systemClock, log: silentLogger() })).rejects.toThrow(/EVENT_BUS_URL.*sqlite:<file>/s);
  });
});
