import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';
import { FEED } from './account-event.js';

const DAY = 24 * 3600 * 1000;

describe("an account's events", () => {
  let fixture: DispatcherFixture;
  let replica: DispatcherReplica;
  beforeEach(async () => {
    fixture = await DispatcherFixture.open();
    replica = await fixture.replica();
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const start = (jobId: string, accountId = 'acc_1', by = replica) => by.intake.announce(new TestJob(jobId, undefined, accountId).event('job.started'));
  const read = async (after?: string, limit = 100) => {
    const { events, ...page } = await replica.events.list('acc_1', after, limit);
    return { ...page, jobs: events.map(({ body }) => (JSON.parse(body) as { data: { job_id: string } }).data.job_id) };
  };

  it('are kept whether anybody wants them or not, once each, and are read oldest first from where one was', async () => {
    const job = new TestJob('job_1', undefined);
    const started = job.event('job.started');
    for (const event of [started, started, job.event('job.completed'), started]) await replica.intake.announce(event);
    await start('job_other', 'acc_2');
    const first = await read(undefined, 1);
    expect(first).toEqual({ jobs: ['job_1'], nextCursor: expect.any(String), hasMore: true });
    const second = await read(first.nextCursor);
    expect(second).toMatchObject({ jobs: ['job_1'], hasMore: false });
    expect(await read(second.nextCursor)).toEqual({ jobs: [], nextCursor: second.nextCursor, hasMore: false });
    await start('job_2');
    expect((await read(second.nextCursor)).jobs).toEqual(['job_2']);
    expect((await read(started.id)).jobs).toEqual(['job_1', 'job_2']);
  });

  it('are found by type and by job, and are read newest first as well', async () => {
    const jobs = ['job_1', 'job_2'].map((jobId) => new TestJob(jobId, undefined));
    for (const type of ['job.started', 'job.completed'] as const) for (const job of jobs) await replica.intake.announce(job.event(type));
    const find = async (filter: Parameters<typeof replica.events.list>[3], after?: string, limit = 100) => {
      const { events, ...page } = await replica.events.list('acc_1', after, limit, filter);
      return { ...page, found: events.map(({ body }) => JSON.parse(body) as { type: string; data: { job_id: string } }).map(({ type, data }) => `${data.job_id} ${type.split('.')[1]}`) };
    };
    expect((await find({ type: 'transcription.completed' })).found).toEqual(['job_1 completed', 'job_2 completed']);
    expect((await find({ jobId: 'job_2' })).found).toEqual(['job_2 started', 'job_2 completed']);
    expect((await find({ jobId: 'job_2', type: 'transcription.started' })).found).toEqual(['job_2 started']);
    const newest = await find({ descending: true }, undefined, 3);
    expect(newest).toMatchObject({ found: ['job_2 completed', 'job_1 completed', 'job_2 started'], hasMore: true });
    expect(await find({ descending: true }, newest.nextCursor)).toMatchObject({ found: ['job_1 started'], hasMore: false });
    expect((await find({ type: 'transcription.completed' }, (await find({ type: 'transcription.completed' }, undefined, 1)).nextCursor)).found).toEqual(['job_2 completed']);
    await replica.erasures.erase({ ...jobs[0]!.event('job.completed').data, erasureId: 'era_1' });
    expect((await find({ jobId: 'job_1' })).found).toEqual([]);
    expect((await find({ type: 'transcription.completed' })).found).toEqual(['job_2 completed']);
  });

  it('have one order, without gaps, though replicas write them at the same time while they are read', async () => {
    const others = [await fixture.replica(), await fixture.replica()];
    const seen: string[] = [];
    let cursor: string | undefined;
    const writing = Promise.all(Array.from({ length: 60 }, (_, nth) => start(`job_${nth}`, 'acc_1', [replica, ...others][nth % 3])));
    let done = false;
    void writing.then(() => (done = true));
    for (let last = false; !last; ) {
      last = done;
      const page = await read(cursor, 7);
      seen.push(...page.jobs);
      cursor = page.nextCursor;
      if (page.hasMore) last = false;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
  });

  it('of which one cannot be stored leave the others of the same moment stored', async () => {
    const feed = fixture.documents.collection(FEED);
    const insertInOrder = feed.insertInOrder.bind(feed);
    const calls: number[] = [];
    jest.spyOn(feed, 'insertInOrder').mockImplementation((inserts) => {
      calls.push(inserts.length);
      return inserts.some(({ document }) => document.jobId === 'job_wrong') ? Promise.reject(new AppError({ kind: 'invalid', code: 'invalid_request', message: 'no' })) : insertInOrder(inserts);
    });
    const ends = await Promise.allSettled(['job_1', 'job_wrong', 'job_2'].map((jobId) => start(jobId)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await read()).jobs.toSorted()).toEqual(['job_1', 'job_2']);
    expect(Math.max(...calls)).toBeGreaterThan(1);
  });

  it('of an erased job are gone, and later ones do not take their places', async () => {
    await start('job_1');
    await start('job_2');
    const { nextCursor } = await read();
    await replica.erasures.erase({ ...new TestJob('job_2', undefined).event('job.completed').data, erasureId: 'era_1' });
    expect((await read()).jobs).toEqual(['job_1']);
    await start('job_3', 'acc_1', await fixture.replica());
    expect((await read(nextCursor)).jobs).toEqual(['job_3']);
    const entries = await fixture.documents.collection(FEED).find();
    expect(JSON.stringify(entries)).not.toContain('job_2"');
  });

  it('are removed after the time they are kept, and the order goes on', async () => {
    await start('job_1');
    await start('job_2');
    const { nextCursor } = await read();
    fixture.clock.advance(31 * DAY);
    await replica.erasures.removeOld();
    await replica.erasures.removeOld();
    expect(await read()).toMatchObject({ jobs: [], hasMore: false });
    await start('job_3', 'acc_1', await fixture.replica());
    expect((await read(nextCursor)).jobs).toEqual(['job_3']);
  });

  it('of no job are removed after their deliveries, which nothing else tells of', async () => {
    const { id } = await replica.endpoints.create('acc_1', { url: 'https://receiver.example/hook', eventTypes: [], enabled: true });
    const delivery = await replica.intake.test('acc_1', await replica.endpoints.get('acc_1', id));
    fixture.clock.advance(31 * DAY);
    const killed = jest.spyOn(replica.deliveries.collection, 'remove').mockRejectedValueOnce(new Error('killed'));
    await expect(replica.erasures.removeOld()).rejects.toThrow('killed');
    expect(await replica.deliveries.collection.get(delivery)).toBeDefined();
    killed.mockRestore();
    await replica.erasures.removeOld();
    expect(await replica.deliveries.collection.get(delivery)).toBeUndefined();
  });

  it.each(['', 'nonsense', 'ZXZlbnRzOg', Buffer.from('events:-1').toString('base64url'), Buffer.from('events:1x').toString('base64url'), 'evt_unknown'])(
    'are not read from %j',
    (cursor) => expect(replica.events.list('acc_1', cursor, 10)).rejects.toMatchObject({ code: 'invalid_cursor' }),
  );

  it('are not read from a place that the account has not come to, whose events would be passed over', async () => {
    await start('job_1');
    await start('job_2', 'acc_2');
    await start('job_3', 'acc_2');
    const { nextCursor } = await replica.events.list('acc_2', undefined, 10);
    await expect(replica.events.list('acc_1', nextCursor, 10)).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect(await replica.events.list('acc_2', nextCursor, 10)).toMatchObject({ events: [], nextCursor });
  });

  it('of another account are no place to read from', async () => {
    const event = new TestJob('job_1', undefined, 'acc_2').event('job.started');
    await replica.intake.announce(event);
    await expect(replica.events.list('acc_1', event.id, 10)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});
