import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SUBSCRIBABLE_TYPES, type EventData, type SubscribableType } from '@parlance/contracts';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';
import { AT_ONCE } from '../deliveries/delivery.js';
import { revisionOf } from './webhook-endpoint.js';

const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;

describe('an account-wide endpoint', () => {
  let fixture: DispatcherFixture;
  let replica: DispatcherReplica;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    fixture = await DispatcherFixture.open();
    receiver = await WebhookReceiver.start();
    replica = (await fixture.replica()).start();
  });
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
    await receiver.close();
  });

  const add = (url = receiver.url, eventTypes: SubscribableType[] = [...SUBSCRIBABLE_TYPES]) => replica.endpoints.create('acc_1', { url, eventTypes, enabled: true });
  const outbox = async () => (await fixture.documents.outbox.pending(100)).flatMap(({ events }) => events);
  const disabledEvents = async () =>
    (await outbox()).flatMap(({ type, data }) => (type === 'webhook.endpoint_disabled' ? [data as EventData<'webhook.endpoint_disabled'>] : []));
  const test = async (id: string) => {
    const delivery = await replica.intake.test('acc_1', await replica.endpoints.get('acc_1', id));
    return eventually('the test', async () => {
      const found = await replica.deliveries.collection.get(delivery);
      return found?.document.status !== 'pending' && found?.document;
    });
  };

  it('is made once under the id that its creator gives, with the secret of the first call', async () => {
    const settings = { url: receiver.url, eventTypes: [...SUBSCRIBABLE_TYPES], enabled: true };
    const first = await replica.endpoints.create('acc_1', settings, 'whe_1');
    expect(await replica.endpoints.create('acc_1', settings, 'whe_1')).toEqual(first);
    expect((await replica.endpoints.of('acc_1')).map(({ id }) => id)).toEqual(['whe_1']);
    expect((await replica.endpoints.create('acc_2', settings, 'whe_1')).secret).not.toEqual(first.secret);
  });

  it('gets the events it asked for of every job, and those of its account alone', async () => {
    await add(receiver.url, ['transcription.completed']);
    for (const [jobId, account] of [['job_1', 'acc_1'], ['job_2', 'acc_1'], ['job_3', 'acc_2']] as const) {
      const job = new TestJob(jobId, undefined, account);
      await replica.intake.announce(job.event('job.started'));
      await replica.intake.announce(job.event('job.completed'));
    }
    await eventually('both', () => receiver.received.length === 2);
    await replica.close();
    expect(receiver.received.map(({ body }) => [body.type, body.data.job_id]).toSorted()).toEqual([
      ['transcription.completed', 'job_1'],
      ['transcription.completed', 'job_2'],
    ]);
  });

  it('that is also the callback address of a job gets each event once', async () => {
    await add();
    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await replica.until('job_1', ([first, ...more]) => first?.status === 'delivered' && more.length === 0);
    expect(receiver.received).toHaveLength(1);
  });

  it('is changed only as its owner has read it, when the change names that state', async () => {
    const { id } = await add();
    const read = revisionOf(await replica.endpoints.get('acc_1', id));
    const changed = await replica.endpoints.change('acc_1', id, { enabled: false }, ['other', read]);
    await expect(replica.endpoints.change('acc_1', id, { enabled: true }, [read])).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await replica.endpoints.change('acc_1', id, { enabled: true }, [revisionOf(changed)])).toMatchObject({ enabled: true });
  });

  it('that is deleted takes no event from the job whose callback address it was', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { id } = await add();
    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await replica.until('job_1', ([first]) => first?.tries === 1);
    await replica.endpoints.delete('acc_1', id);
    receiver.answer = (_request, response) => response.end();
    replica.pass(6_000);
    await replica.until('job_1', ([first]) => first?.status === 'delivered');
  });

  it('that moves gets at its new address what it has not had yet', async () => {
    await using moved = await WebhookReceiver.start();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { id } = await add();
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.started'));
    await replica.until('job_1', ([first]) => first?.tries === 1);
    await replica.endpoints.change('acc_1', id, { url: moved.url });
    replica.pass(6_000);
    const [delivery] = await replica.until('job_1', ([first]) => first?.status === 'delivered');
    expect(delivery).toMatchObject({ url: moved.url, attempts: [{ statusCode: 500 }, { statusCode: 204 }] });
    expect([receiver.received.length, moved.typesOf('job_1')]).toEqual([1, ['transcription.started']]);
  });

  it('that moves is not disabled by what its former address answers to a try that ran', async () => {
    const { id } = await add();
    receiver.answer = async (_request, response) => {
      await replica.endpoints.change('acc_1', id, { url: 'http://127.0.0.1:9/moved' });
      response.writeHead(410).end();
    };
    await announce(new TestJob('job_1', undefined));
    await replica.until('job_1', ([first]) => (first?.tries ?? 0) > 0);
    await replica.close();
    expect(await replica.endpoints.get('acc_1', id)).toMatchObject({ enabled: true, url: 'http://127.0.0.1:9/moved' });
  });

  it('that moves does not fail with the jobs whose callback address is its former one', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { id } = await add();
    await announce(new TestJob('job_1', receiver.url));
    await replica.until('job_1', ([first]) => first?.tries === 1);
    await replica.endpoints.change('acc_1', id, { url: 'http://127.0.0.1:9/moved' });
    replica.pass(6_000);
    await replica.until('job_1', ([first]) => first?.tries === 2);
    await replica.close();
    expect(await replica.endpoints.get('acc_1', id)).not.toHaveProperty('failingSince');
  });

  it('keeps the end of a job from being settled before all have it', async () => {
    await using slow = await WebhookReceiver.start((_request, response) => response.writeHead(500).end());
    await add();
    await replica.intake.announce(new TestJob('job_1', slow.url).event('job.completed'));
    await replica.until('job_1', (all) => all.some(({ status }) => status === 'delivered') && all.every(({ tries }) => tries > 0));
    expect(await outbox()).toEqual([]);
    slow.answer = (_request, response) => response.end();
    replica.pass(6000);
    await replica.until('job_1', (all) => all.every(({ status }) => status === 'delivered'));
    expect((await outbox()).map(({ type }) => type)).toEqual(['webhook.settled']);
  });

  it('gets a test at once and once, and says what came of it', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end('no');
    const { id } = await add();
    expect(await test(id)).toMatchObject({ status: 'failed', eventType: 'webhook_endpoint.test', attempts: [{ statusCode: 500, responseBody: 'no' }] });
    await replica.endpoints.change('acc_1', id, { enabled: false });
    receiver.answer = (_request, response) => response.end('yes');
    expect(await test(id)).toMatchObject({ status: 'delivered', endpointId: id });
    expect(receiver.received.map(({ body }) => body.data)).toEqual([{ endpoint_id: id }, { endpoint_id: id }]);
  });

  it('does not begin to fail with a test, which may be made before the receiver is there', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { id } = await add();
    await test(id);
    replica.pass(6 * DAY);
    await announce(new TestJob('job_1', undefined));
    await replica.until('job_1', ([first]) => first?.tries === 1);
    await replica.close();
    expect(await replica.endpoints.get('acc_1', id)).toMatchObject({ enabled: true });
  });

  it('is disabled after five days of only failures; its siblings are told, it can be enabled, and what it missed is sent again', async () => {
    await using sibling = await WebhookReceiver.start();
    await add(sibling.url, ['webhook_endpoint.disabled']);
    const { id } = await add();
    receiver.answer = (_request, response) => response.writeHead(503).end();
    const job = new TestJob('job_1', undefined);
    for (const hours of [0, 119, 2]) {
      await replica.idle();
      replica.pass(hours * HOUR);
      const { id: eventId } = await announce(job);
      await replica.until('job_1', (all) => all.some((delivery) => delivery.eventId === eventId && !delivery.holds));
      if (hours !== 2) expect((await replica.endpoints.get('acc_1', id)).enabled).toBe(true);
    }
    const endpoint = await eventually('the end', async () => (await replica.endpoints.of('acc_1')).find(({ enabled }) => !enabled));
    expect(endpoint).toMatchObject({ id, disabled: { reason: 'failing' }, failingSince: expect.any(String) });

    const [data] = await disabledEvents();
    for (let time = 0; time < 2; time += 1) {
      await replica.intake.announceDisabled({ id: 'evt_disabled', type: 'webhook.endpoint_disabled', source: 'webhook-dispatcher', time: new Date().toISOString(), key: id, data: data! });
    }
    await eventually('the notice', () => sibling.received.length === 1);
    expect(sibling.received[0]!.body).toMatchObject({ type: 'webhook_endpoint.disabled', data: { endpoint_id: id, url: receiver.url, reason: 'failing' } });
    expect((await replica.events.list('acc_1', undefined, 100)).events.at(-1)).toMatchObject({ eventId: 'evt_disabled' });

    const before = receiver.received.length;
    await announce(job);
    await replica.idle();
    replica.pass(DAY);
    const all = await replica.until('job_1', (each) => each.every(({ status }) => status === 'failed'));
    expect(receiver.received).toHaveLength(before);
    expect(all).toHaveLength(3);

    receiver.answer = (_request, response) => response.end();
    expect(await replica.endpoints.change('acc_1', id, { enabled: true })).not.toHaveProperty('disabled');
    await replica.redeliver(all[0]!.id, AT_ONCE);
    await replica.until('job_1', (each) => each.some(({ status }) => status === 'delivered'));
  });

  it('that answers 410 is disabled at once, for every job', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const { id } = await add();
    await announce(new TestJob('job_1', undefined));
    await eventually('the end', async () => !(await replica.endpoints.get('acc_1', id)).enabled);
    expect(await disabledEvents()).toMatchObject([{ endpointId: id, reason: 'gone' }]);
    await announce(new TestJob('job_2', undefined));
    expect(await replica.of('job_2')).toEqual([]);
  });

  it('forgets its failures with one success', async () => {
    receiver.answer = (_request, response) => response.writeHead(receiver.received.length === 2 ? 200 : 500).end();
    const { id } = await add();
    const job = new TestJob('job_1', undefined);
    for (let day = 0; day < 4; day += 1) {
      const { id: eventId } = await announce(job);
      await replica.until('job_1', (all) => all.some((delivery) => delivery.eventId === eventId && !delivery.holds));
      await replica.idle();
      replica.pass(2 * DAY);
    }
    expect((await replica.endpoints.get('acc_1', id)).enabled).toBe(true);
  });

  it('is one of at most twenty', async () => {
    await Promise.all(Array.from({ length: 20 }, () => add()));
    await expect(add()).rejects.toMatchObject({ code: 'too_many_endpoints' });
  });

  async function announce(job: TestJob) {
    const event = job.event('job.started');
    await replica.intake.announce(event);
    return event;
  }
});
