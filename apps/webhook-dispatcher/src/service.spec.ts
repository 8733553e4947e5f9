import { describe, expect, it } from '@jest/globals';
import { ANNOUNCED_TYPES, common, events, webhook, type EventType, type NewEvent } from '@parlance/contracts';
import { readConfig } from '@parlance/platform';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { Webhook } from 'standardwebhooks';
import { webhookConfig } from './webhook-dispatcher.config.js';
import { WebhookDispatcherConsumers } from './webhook-dispatcher.consumers.js';
import { manifest } from './service.js';

const { DELIVERY_STATUS_DELIVERED, DELIVERY_STATUS_FAILED, DELIVERY_STATUS_PENDING } = webhook.DeliveryStatus;
const env = { EGRESS_ALLOW: '127.0.0.0/8' };

const jobEvent = (type: EventType & `job.${string}`, fields: Partial<events.JobEvent>): NewEvent =>
  ({ type, data: events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1', ...fields }) }) as NewEvent;

async function start(settings: Record<string, string> = {}) {
  const service = await ServiceHarness.start(manifest, { ...env, ...settings });
  const client = service.process.connect('webhook-dispatcher', webhook.WebhookServiceDefinition);
  return {
    service,
    list: (jobId: string, accountId = 'acc_1') => client.listDeliveries(webhook.ListDeliveriesRequest.fromPartial({ jobId, accountId, limit: 0 })),
    redeliver: (deliveryId: string, accountId = 'acc_1') => client.redeliver({ deliveryId, accountId }),
    secret: (accountId = 'acc_1') => client.getSecret({ accountId }),
    endpoints: (page: { limit?: number; cursor?: string }) => client.listEndpoints({ accountId: 'acc_1', limit: 0, ...page }),
    addEndpoint: (url: string) => client.createEndpoint({ accountId: 'acc_1', endpointId: '', url, eventTypes: [], enabled: true }),
    receiverSecret: (receiver: webhook.ReceiverRef, accountId = 'acc_1') => client.getReceiverSecret({ accountId, receiver }),
    rotateReceiver: (receiver: webhook.ReceiverRef, accountId = 'acc_1') => client.rotateReceiverSecret({ accountId, receiver, revokePrevious: true }),
    rotate: (accountId = 'acc_1') => client.rotateSecret({ accountId, revokePrevious: false }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

describe('the webhook dispatcher', () => {
  it('reads every event that webhooks announce, batches, erasures and disabled endpoints, as one group', () => {
    const consumers = new WebhookDispatcherConsumers(undefined as never, undefined as never, undefined as never, undefined as never).consumers();
    expect(consumers.map(({ group, topic, handlers }) => [group, topic, Object.keys(handlers)])).toEqual([
      [
        'webhook-dispatcher',
        'parlance.jobs.v1',
        [...ANNOUNCED_TYPES, 'job.deleted'],
      ],
      ['webhook-dispatcher', 'parlance.batches.v1', ['batch.completed']],
      ['webhook-dispatcher', 'parlance.webhooks.v1', ['webhook.endpoint_disabled']],
    ]);
  });

  it('has the settings of the contract by default, and refuses wrong ones', () => {
    const readFile = () => '';
    const config = readConfig(webhookConfig, { env: {}, readFile });
    expect(config).toMatchObject({ WEBHOOK_TIMEOUT_SECONDS: 15, EGRESS_ALLOW: [] });
    expect(config.WEBHOOK_RETRY_SCHEDULE).toHaveLength(9);
    expect(readConfig(webhookConfig, { env: { WEBHOOK_RETRY_SCHEDULE: '0, 1,2' }, readFile }).WEBHOOK_RETRY_SCHEDULE).toEqual([0, 1, 2]);
    expect(() => readConfig(webhookConfig, { env: { WEBHOOK_RETRY_SCHEDULE: '5,soon' }, readFile })).toThrow('WEBHOOK_RETRY_SCHEDULE');
  });

  it('turns the end of a batch into one webhook, to its address and to the endpoints that want it', async () => {
    await using receiver = await WebhookReceiver.start();
    await using dispatcher = await start();
    await dispatcher.addEndpoint(receiver.url.replace('/hook', '/endpoint'));
    const counts = { total: 2, completed: 1, failed: 0, canceled: 0, refused: 1, deleted: 0 };
    const data = { batchId: 'bat_1', accountId: 'acc_1', projectId: 'prj_1', canceled: false, callbackUrl: receiver.url, counts, createdAt: new Date(0), completedAt: new Date(1000) };
    const published = await dispatcher.service.publish({ type: 'batch.completed', data });
    await dispatcher.service.republish(published);
    await eventually('both webhooks', () => receiver.received.length === 2);
    for (const { body } of receiver.received) expect(body).toMatchObject({ type: 'batch.completed', timestamp: '1970-01-01T00:00:01.000Z', data: { batch_id: 'bat_1', project_id: 'prj_1', status: 'completed', counts } });
    expect(dispatcher.service.heard.some(({ type }) => type === 'webhook.settled')).toBe(false);
  });

  it('turns events of a job into signed webhooks, whose deliveries can be listed', async () => {
    await using receiver = await WebhookReceiver.start();
    await using dispatcher = await start();
    const { secret } = await dispatcher.secret();
    const events = await dispatcher.service.publish(
      jobEvent('job.created', { callbackUrl: receiver.url }),
      jobEvent('job.started', { callbackUrl: receiver.url, sequence: 1, status: common.JobStatus.JOB_STATUS_PROCESSING }),
      jobEvent('job.completed', { callbackUrl: receiver.url, sequence: 2, status: common.JobStatus.JOB_STATUS_COMPLETED, metadata: { a: 'b' } }),
    );
    await dispatcher.service.republish(events);
    const deliveries = await eventually('both deliveries', async () => {
      const { deliveries } = await dispatcher.list('job_1');
      return deliveries.length === 2 && deliveries.every(({ status }) => status === DELIVERY_STATUS_DELIVERED) && deliveries;
    });
    expect(deliveries.map(({ eventType }) => eventType)).toEqual(['transcription.completed', 'transcription.started']);
    expect(receiver.typesOf('job_1')).toEqual(['transcription.started', 'transcription.completed']);
    for (const { raw, headers } of receiver.received) new Webhook(secret).verify(raw, headers as Record<string, string>);
    expect(receiver.received[1]!.body.data).toEqual({ job_id: 'job_1', status: 'completed', sequence: 2, metadata: { a: 'b' } });
  });

  it('shows an account nothing of another', async () => {
    await using receiver = await WebhookReceiver.start();
    await using dispatcher = await start();
    await dispatcher.service.publish(jobEvent('job.started', { callbackUrl: receiver.url, sequence: 1 }));
    const [delivery] = await eventually('the delivery', async () => {
      const { deliveries } = await dispatcher.list('job_1');
      return deliveries.length > 0 && deliveries;
    });
    expect(await dispatcher.list('job_1', 'acc_2')).toEqual({ deliveries: [] });
    expect(await dispatcher.list('job_unknown')).toEqual({ deliveries: [] });
    expect((await dispatcher.list('')).deliveries).toMatchObject((await dispatcher.list('job_1')).deliveries.map(({ deliveryId }) => ({ deliveryId, createdAt: expect.any(Date) })));
    expect(await dispatcher.list('', 'acc_2')).toEqual({ deliveries: [] });
    await expect(dispatcher.redeliver(delivery!.deliveryId, 'acc_2')).rejects.toMatchObject({ code: 'not_found' });
    await expect(dispatcher.redeliver('dlv_unknown')).rejects.toMatchObject({ code: 'not_found' });
    expect((await dispatcher.secret('acc_2')).secret).not.toBe((await dispatcher.secret()).secret);
  });

  it('redelivers under the same event id', async () => {
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(500).end());
    await using dispatcher = await start({ WEBHOOK_RETRY_SCHEDULE: '0' });
    await dispatcher.service.publish(jobEvent('job.failed', { callbackUrl: receiver.url, sequence: 2 }));
    const failed = await eventually('the failure', async () => {
      const [delivery] = (await dispatcher.list('job_1')).deliveries;
      return delivery?.status === DELIVERY_STATUS_FAILED && delivery;
    });
    expect(failed.attempts).toHaveLength(2);

    receiver.answer = (_request, response) => response.end();
    const requestedAt = new Date();
    const { delivery } = await dispatcher.redeliver(failed.deliveryId);
    expect(delivery).toMatchObject({ status: DELIVERY_STATUS_PENDING });
    expect(delivery!.nextAttemptAt!.getTime()).toBeGreaterThanOrEqual(requestedAt.getTime());
    await eventually('the redelivery', async () => (await dispatcher.list('job_1')).deliveries[0]?.status === DELIVERY_STATUS_DELIVERED);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([failed.eventId]));
  });

  it('tells of a webhook whose receiver is left alone for a while when it is tried', async () => {
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(503).end());
    await using dispatcher = await start();
    const started = (jobId: string) => jobEvent('job.started', { jobId, callbackUrl: receiver.url, sequence: 1 });
    const jobIds = Array.from({ length: 20 }, (_, nth) => `job_${nth}`);
    await dispatcher.service.publish(...jobIds.map(started));
    // A failure that was received is not known to the dispatcher yet.
    const failures = async () => (await Promise.all(jobIds.map((jobId) => dispatcher.list(jobId)))).flatMap(({ deliveries }) => deliveries.flatMap(({ attempts }) => attempts));
    await eventually('the failures', async () => (await failures()).length >= 20);
    const before = new Date();
    await dispatcher.service.publish(started('job_later'));
    const waiting = await eventually('the delivery', async () => (await dispatcher.list('job_later')).deliveries[0]);
    expect(waiting).toMatchObject({ status: DELIVERY_STATUS_PENDING, attempts: [] });
    expect(waiting.nextAttemptAt!.getTime()).toBeGreaterThan(before.getTime() + 2000);
  });

  it('lists endpoints page by page, newest first, and takes no cursor but its own, though there be no endpoints', async () => {
    await using dispatcher = await start();
    for (const cursor of ['abc', 'ZW5kcG9pbnRzOg']) await expect(dispatcher.endpoints({ cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    for (const host of ['a', 'b', 'c']) await dispatcher.addEndpoint(`https://${host}.example/`);
    const first = await dispatcher.endpoints({ limit: 2 });
    const second = await dispatcher.endpoints({ limit: 2, cursor: first.nextCursor! });
    expect([first, second].map(({ endpoints }) => endpoints.map(({ url }) => new URL(url).hostname[0]))).toEqual([['c', 'b'], ['a']]);
    expect(second.nextCursor).toBeUndefined();
  });

  it('rotates the secret and says until when the old one signs', async () => {
    await using dispatcher = await start();
    const first = await dispatcher.secret();
    expect(first.previousExpiresAt).toBeUndefined();
    const rotated = await dispatcher.rotate();
    expect(rotated.secret).not.toBe(first.secret);
    expect(rotated.previousExpiresAt!.getTime()).toBeGreaterThan(Date.now());
    expect(await dispatcher.secret()).toEqual(rotated);
  });

  it('keeps a secret for each receiver, which is given and replaced without a change to the account’s', async () => {
    await using dispatcher = await start();
    const account = await dispatcher.secret();
    const { endpoint, secret } = await dispatcher.addEndpoint('https://a.example/');
    const own: webhook.ReceiverRef = { receiver: { $case: 'endpointId', value: endpoint!.endpointId } };
    const origin: webhook.ReceiverRef = { receiver: { $case: 'url', value: 'https://b.example/hook' } };
    expect(await dispatcher.receiverSecret(own)).toMatchObject({ secret, shared: false });
    expect(await dispatcher.receiverSecret(origin)).toMatchObject({ secret: account.secret, shared: true });
    const rotated = [await dispatcher.rotateReceiver(own), await dispatcher.rotateReceiver(origin)];
    expect(new Set([account.secret, secret, ...rotated.map((each) => each.secret)]).size).toBe(4);
    expect([await dispatcher.receiverSecret(own), await dispatcher.receiverSecret(origin)]).toEqual(rotated);
    expect(await dispatcher.secret()).toEqual(account);
    await expect(dispatcher.receiverSecret(own, 'acc_2')).rejects.toMatchObject({ code: 'not_found' });
    for (const call of [dispatcher.receiverSecret, dispatcher.rotateReceiver]) await expect(call({})).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    ['delivered', 200, 'job.completed', common.JobStatus.JOB_STATUS_COMPLETED],
    ['given up after the last try', 500, 'job.failed', common.JobStatus.JOB_STATUS_FAILED],
    ['refused by an address that is gone', 410, 'job.canceled', common.JobStatus.JOB_STATUS_CANCELED],
  ] as const)('tells that the webhook of the end was settled once it is %s', async (_how, answer, type, status) => {
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(answer).end());
    await using dispatcher = await start({ WEBHOOK_RETRY_SCHEDULE: '0' });
    const { service } = dispatcher;
    await service.publish(jobEvent('job.started', { callbackUrl: receiver.url, sequence: 1 }), jobEvent(type, { callbackUrl: receiver.url, sequence: 2 }));
    const settled = await eventually('the event', () => service.heard.find((event) => event.type === 'webhook.settled'));
    expect(settled).toMatchObject({ source: 'webhook-dispatcher', key: 'job_1', data: { jobId: 'job_1', accountId: 'acc_1', sequence: 2, status } });
    const { deliveries } = await dispatcher.list('job_1');
    expect(deliveries.find(({ eventType }) => eventType !== 'transcription.started')?.status).not.toBe(DELIVERY_STATUS_PENDING);
    expect(service.heard.filter((event) => event.type === 'webhook.settled')).toHaveLength(1);
  });

  it('tells it at once of an end that no address wants, and of nothing else', async () => {
    await using dispatcher = await start();
    const { service } = dispatcher;
    await service.publish(jobEvent('job.started', { sequence: 1 }), jobEvent('job.completed', { sequence: 2 }));
    await eventually('the event', () => service.heard.some(({ type }) => type === 'webhook.settled'));
    const settled = service.heard.filter(({ type }) => type === 'webhook.settled');
    expect(settled.map(({ data }) => data)).toEqual([
      { jobId: 'job_1', accountId: 'acc_1', sequence: 2, status: common.JobStatus.JOB_STATUS_COMPLETED },
    ]);
  });

  it('erases the deliveries of a deleted job and reports it on the bus', async () => {
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(500).end());
    await using dispatcher = await start();
    const { service } = dispatcher;
    await service.publish(jobEvent('job.canceled', { callbackUrl: receiver.url, sequence: 1 }), jobEvent('job.deleted', { erasureId: 'era_1' }));
    const report = await eventually('the report', () => service.heard.find(({ type }) => type === 'erasure.reported'));
    expect(report.data).toMatchObject({ erasureId: 'era_1', what: 'webhook_payloads', where: 'webhook-dispatcher', count: 2 });
    expect((await dispatcher.list('job_1')).deliveries).toEqual([]);
  });
});
