import { describe, expect, it } from '@jest/globals';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';
import { AT_ONCE } from './delivery.js';

const ENDPOINT = { accountId: 'acc_1', endpointId: 'whe_1' };
const request = { ...ENDPOINT, from: new Date(0), to: undefined, all: false, eventTypes: [] };

async function addEndpoint(replica: DispatcherReplica, url: string): Promise<void> {
  await replica.endpoints.create('acc_1', { url, eventTypes: ['transcription.started', 'transcription.completed'], enabled: true }, 'whe_1');
}

/** Two events each of some jobs, and what came of them. */
async function announce(replica: DispatcherReplica, jobs: readonly string[], status: 'failed' | 'delivered', callbackUrl?: string): Promise<void> {
  for (const jobId of jobs) {
    const job = new TestJob(jobId, callbackUrl);
    for (const type of ['job.started', 'job.completed'] as const) await replica.intake.announce(job.event(type));
    for (const stored of (await replica.deliveries.collection.find({ where: { jobId } })).items) {
      await replica.deliveries.change(stored, (current) => ({ ...current, status, holds: false, tries: 10 }));
    }
  }
}

const completed = (replica: DispatcherReplica, id: string) =>
  eventually('the redelivery to be completed', async () => {
    const redelivery = await replica.redeliveries.get('acc_1', 'whe_1', id);
    return redelivery.completedAt !== undefined && redelivery;
  });

describe('a redelivery of a time', () => {
  it('makes failed deliveries due again, in order and through the queue of their receiver, once however often it is requested', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const replica = await fixture.replica();
    await addEndpoint(replica, receiver.url);
    await announce(replica, ['job_1', 'job_2', 'job_3'], 'failed');
    await announce(replica, ['job_4'], 'delivered');
    const working = await replica.tasks.work(replica.redeliveries.worker());
    for (let nth = 0; nth < 2; nth += 1) await replica.redeliveries.create({ ...request, redeliveryId: 'rdl_1' });
    expect(await completed(replica, 'rdl_1')).toMatchObject({ count: 6 });
    await replica.redeliveries.create({ ...request, redeliveryId: 'rdl_1' });
    await working.close();
    expect(receiver.received).toEqual([]);
    expect((await replica.of('job_1')).map(({ status, nextAttemptAt }) => [status, nextAttemptAt > AT_ONCE])).toEqual([['pending', true], ['pending', true]]);
    replica.start();
    await eventually('all webhooks', () => receiver.received.length === 6);
    for (const jobId of ['job_1', 'job_2', 'job_3']) expect(receiver.typesOf(jobId)).toEqual(['transcription.started', 'transcription.completed']);
    expect(receiver.of('job_4')).toEqual([]);
  });

  it('takes delivered ones too where all are requested, of the types that are named, and of that time alone', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const replica = await fixture.replica();
    await addEndpoint(replica, receiver.url);
    await announce(replica, ['job_1'], 'delivered');
    replica.pass(60_000);
    const from = fixture.clock.now();
    await announce(replica, ['job_2'], 'delivered');
    replica.pass(60_000);
    const to = fixture.clock.now();
    await announce(replica, ['job_3'], 'delivered');
    const working = await replica.tasks.work(replica.redeliveries.worker());
    await replica.redeliveries.create({ ...request, redeliveryId: 'rdl_1', from, to, all: true, eventTypes: ['transcription.completed'] });
    expect(await completed(replica, 'rdl_1')).toMatchObject({ count: 1 });
    await working.close();
    const due = (await Promise.all(['job_1', 'job_2', 'job_3'].map((jobId) => replica.of(jobId)))).flat().filter(({ status }) => status === 'pending');
    expect(due.map(({ jobId, eventType }) => [jobId, eventType])).toEqual([['job_2', 'transcription.completed']]);
  });

  it('is continued by another process when the one at work is killed after a part, and makes none due twice', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const replica = await fixture.replica();
    await addEndpoint(replica, receiver.url);
    await announce(replica, ['job_1', 'job_2'], 'failed');
    await replica.redeliveries.create({ ...request, redeliveryId: 'rdl_1' });
    // The first process has made one due, and has not stored its progress.
    const [first] = await replica.of('job_1');
    await replica.redeliver(first!.id);
    const { roundAt } = (await replica.of('job_1')).find(({ id }) => id === first!.id)!;
    const other = await fixture.replica();
    const working = await other.tasks.work(other.redeliveries.worker());
    expect(await completed(other, 'rdl_1')).toMatchObject({ count: 4 });
    await working.close();
    expect((await other.of('job_1')).find(({ id }) => id === first!.id)).toMatchObject({ roundAt });
  });

  it('is its account’s and its endpoint’s alone', async () => {
    await using fixture = await DispatcherFixture.open();
    const replica = await fixture.replica();
    await replica.redeliveries.create({ ...request, redeliveryId: 'rdl_1' });
    for (const [accountId, endpointId] of [['acc_2', 'whe_1'], ['acc_1', 'whe_2']] as const) {
      await expect(replica.redeliveries.get(accountId, endpointId, 'rdl_1')).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('deliveries that wait to be sent again', () => {
  /** Failed deliveries, made due again by a redelivery of their time. */
  async function opened(callbackUrl?: (receiver: WebhookReceiver) => string) {
    const stack = new AsyncDisposableStack();
    const fixture = stack.use(await DispatcherFixture.open());
    const receiver = stack.use(await WebhookReceiver.start());
    const replica = await fixture.replica();
    await addEndpoint(replica, receiver.url);
    await announce(replica, ['job_1', 'job_2'], 'failed', callbackUrl?.(receiver));
    const working = await replica.tasks.work(replica.redeliveries.worker());
    await replica.redeliveries.create({ ...request, redeliveryId: 'rdl_1' });
    await completed(replica, 'rdl_1');
    await working.close();
    const ended = () => Promise.all(['job_1', 'job_2'].map((jobId) => replica.until(jobId, (all) => all.every(({ status }) => status !== 'pending'))));
    return { replica, receiver, ended, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  }
  const DISABLED = { status: 'failed', error: 'The endpoint is disabled, or was deleted.' };

  it('are given up once their endpoint is disabled, except one that is requested by itself', async () => {
    await using test = await opened();
    const { replica, receiver, ended } = test;
    await replica.endpoints.change('acc_1', 'whe_1', { enabled: false });
    const [first] = await replica.of('job_1');
    await replica.redeliver(first!.id, AT_ONCE);
    replica.start();
    const all = (await ended()).flat();
    expect(receiver.received).toHaveLength(1);
    expect(all.find(({ id }) => id === first!.id)).toMatchObject({ status: 'delivered' });
    for (const { status, error } of all.filter(({ id }) => id !== first!.id)) expect({ status, error }).toEqual(DISABLED);
  });

  it('are given up once their endpoint answers 410', async () => {
    await using test = await opened();
    const { replica, receiver, ended } = test;
    receiver.answer = (_request, response) => response.writeHead(410).end();
    replica.start();
    const all = (await ended()).flat();
    // Those of two jobs are sent at the same time.
    expect(receiver.typesOf('job_1').concat(receiver.typesOf('job_2'))).not.toContain('transcription.completed');
    for (const { status, error } of all.filter(({ eventType }) => eventType === 'transcription.completed')) expect({ status, error }).toEqual(DISABLED);
  });

  it('are given up once the address answers 410 that is that of their job too', async () => {
    await using test = await opened(({ url }) => url);
    const { replica, receiver, ended } = test;
    receiver.answer = (_request, response) => response.writeHead(410).end();
    replica.start();
    for (const ofJob of await ended()) expect(ofJob.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['transcription.started', 'transcription.started']);
  });

  it('go to the new address of their endpoint', async () => {
    await using test = await opened();
    await using moved = await WebhookReceiver.start();
    const { replica, receiver, ended } = test;
    await replica.endpoints.change('acc_1', 'whe_1', { url: moved.url });
    replica.start();
    await ended();
    expect(receiver.received).toEqual([]);
    for (const jobId of ['job_1', 'job_2']) expect(moved.typesOf(jobId)).toEqual(['transcription.started', 'transcription.completed']);
  });
});
