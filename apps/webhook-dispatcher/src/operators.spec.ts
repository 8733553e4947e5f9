import { describe, expect, it } from '@jest/globals';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob } from '../test/dispatcher-fixture.js';
import { FailedWebhooks, type WebhookDelivery } from './operators.js';

const SIX_HOURS_MS = 6 * 3600 * 1000;

async function collected(deliveries: AsyncIterable<WebhookDelivery>): Promise<WebhookDelivery[]> {
  const all: WebhookDelivery[] = [];
  for await (const delivery of deliveries) all.push(delivery);
  return all;
}

describe('manage webhooks that were given up', () => {
  it('are found by endpoint and time, and sent again, in order, to where their endpoint is now', async () => {
    await using fixture = await DispatcherFixture.open();
    await using broken = await WebhookReceiver.start((_request, response) => response.writeHead(410).end());
    await using mended = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const given = { eventTypes: ['transcription.started'] as const, enabled: true };
    const endpoint = await replica.endpoints.create('acc_1', { ...given, eventTypes: [...given.eventTypes], url: broken.url });
    const other = await replica.endpoints.create('acc_1', { ...given, eventTypes: [...given.eventTypes], url: mended.url });
    for (const jobId of ['job_1', 'job_2', 'job_3']) {
      await replica.intake.announce(new TestJob(jobId, undefined).event('job.started'));
      await replica.until(jobId, (all) => all.length > 0 && all.every(({ status }) => status !== 'pending'));
      await replica.endpoints.change('acc_1', endpoint.id, { enabled: true });
    }
    expect(mended.received).toHaveLength(3);

    const webhooks = new FailedWebhooks(fixture.documents, replica.tasks, fixture.clock);
    const found = await collected(webhooks.of({ endpointId: endpoint.id }));
    expect(found.map(({ jobId }) => jobId)).toEqual(['job_1', 'job_2', 'job_3']);
    expect(await collected(webhooks.of({ endpointId: other.id }))).toEqual([]);
    const [, second, third] = found;
    expect(await collected(webhooks.of({ endpointId: endpoint.id }, { from: second?.createdAt, to: third?.createdAt }))).toEqual([second]);
    expect(await collected(webhooks.of({ jobId: 'job_3' }))).toEqual([third]);

    await replica.endpoints.change('acc_1', endpoint.id, { url: `${mended.url}/moved` });
    for (const delivery of found.slice(1)) expect(await webhooks.resend(delivery)).toBe(true);
    await eventually('both to come', () => mended.received.length === 5);
    const ids = mended.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(3)).toEqual(ids.slice(1, 3));
    await eventually('both to be stored', async () => (await collected(webhooks.of({ endpointId: endpoint.id }))).length === 1);

    await replica.deliveries.collection.removeWhere({ jobId: 'job_1' });
    expect(await webhooks.resend(found[0]!)).toBe(false);
  });
});

describe('receivers that are left alone for a while', () => {
  it('are counted for operators, until they answer', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(503).end());
    const replica = (await fixture.replica()).start();
    const open = async () => /parlance_webhook_circuits_open (\d+)/.exec(await replica.metrics.metrics())?.[1];
    expect(await open()).toBe('0');
    for (let nth = 0; nth < 20; nth += 1) await replica.intake.announce(new TestJob(`job_${nth}`, receiver.url).event('job.started'));
    await eventually('the circuit to open', async () => (await open()) === '1');
    receiver.answer = (_request, response) => response.end();
    replica.pass(SIX_HOURS_MS);
    await eventually('the circuit to close', async () => (await open()) === '0');
  });
});
