import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';
import { AT_ONCE, receiverId, type WebhookDelivery } from './delivery.js';

/** One turn of the receiver, as the task queue begins it. */
function turn(replica: DispatcherReplica, { url }: WebhookReceiver, lease = new AbortController(), draining = new AbortController()) {
  return replica.worker.serve({ group: receiverId('acc_1', url) }, { signal: lease.signal, draining: draining.signal });
}

describe('a worker that lost the lease of a receiver', () => {
  it('leaves a webhook delivered that another worker has delivered meanwhile, and adds its own attempt to the log', async () => {
    await using fixture = await DispatcherFixture.open();
    const late = Promise.withResolvers<void>();
    await using receiver = await WebhookReceiver.start((_request, response) => late.promise.then(() => void response.writeHead(500).end()));
    const [slow, other] = [await fixture.replica(), await fixture.replica()];
    await slow.intake.announce(new TestJob('job_1', receiver.url).event('job.completed'));
    const lateTurn = turn(slow, receiver);
    await eventually('the late attempt', () => receiver.received.length === 1);
    receiver.answer = (_request, response) => response.end();
    await turn(other, receiver);
    late.resolve();
    await lateTurn;
    const [delivery] = await other.of('job_1');
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200 }, { statusCode: 500 }] });
    const metrics = await slow.metrics.metrics();
    expect(metrics).not.toContain('parlance_webhook_deliveries_total{');
  });

  it('does not undo a redelivery that was requested meanwhile', async () => {
    await using fixture = await DispatcherFixture.open();
    const late = Promise.withResolvers<void>();
    await using receiver = await WebhookReceiver.start((_request, response) => late.promise.then(() => void response.end()));
    const replica = await fixture.replica();
    const job = new TestJob('job_1', receiver.url);
    await replica.intake.announce(job.event('job.completed'));
    const lateTurn = turn(replica, receiver);
    await eventually('the late attempt', () => receiver.received.length === 1);
    const [{ id }] = (await replica.of('job_1')) as [WebhookDelivery];
    await replica.redeliver(id);
    late.resolve();
    await lateTurn;
    expect(await replica.of('job_1')).toMatchObject([{ status: 'pending', redelivery: true, attempts: [{ statusCode: 200 }] }]);
  });

  it('begins no further attempt, and leaves the circuit to the other worker', async () => {
    await using fixture = await DispatcherFixture.open();
    const lease = new AbortController();
    await using receiver = await WebhookReceiver.start((_request, response) => {
      lease.abort(new Error('the lease is lost'));
      response.writeHead(503).end();
    });
    const replica = await fixture.replica();
    const job = new TestJob('job_1', receiver.url);
    for (const type of ['job.started', 'job.completed'] as const) await replica.intake.announce(job.event(type));
    await expect(turn(replica, receiver, lease)).rejects.toThrow('the lease is lost');
    expect(receiver.typesOf('job_1')).toEqual(['transcription.started']);
    expect(await replica.circuits.of(receiverId('acc_1', receiver.url))).toBeUndefined();
  });
});

describe('a turn in which something of ours fails', () => {
  it('keeps what the other attempts of the turn say about the receiver', async () => {
    const failed = Promise.withResolvers<void>();
    const getTranscript = async function* (): AsyncGenerator<never> {
      failed.resolve();
      yield* await Promise.reject<never[]>(new AppError({ code: 'service_unavailable', message: 'transcription does not answer.' }));
    };
    await using fixture = await DispatcherFixture.open({ transcripts: { getTranscript } });
    await using receiver = await WebhookReceiver.start((_request, response) => failed.promise.then(() => void response.writeHead(503).end()));
    const replica = await fixture.replica();
    await replica.endpoints.create('acc_1', { url: receiver.url, eventTypes: ['transcription.started', 'transcription.completed'], enabled: true, include: ['transcript'] });
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.started'));
    await replica.intake.announce(new TestJob('job_2', undefined).event('job.completed'));
    await expect(turn(replica, receiver)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(receiver.received).toHaveLength(1);
    expect(await replica.circuits.of(receiverId('acc_1', receiver.url))).toMatchObject({ failures: 1 });
    expect(await replica.of('job_2')).toMatchObject([{ status: 'pending', tries: 0, attempts: [] }]);
  });
});

describe('a failed test of an endpoint', () => {
  it('neither opens the circuit of its receiver, on which a webhook waits, nor prolongs an open one', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(503).end());
    const replica = await fixture.replica();
    const endpoint = await replica.endpoints.create('acc_1', { url: receiver.url, eventTypes: ['transcription.started'], enabled: true });
    const circuit = () => replica.circuits.of(receiverId('acc_1', receiver.url));
    const failTest = async () => {
      await replica.intake.test('acc_1', endpoint);
      await turn(replica, receiver);
    };
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.started'));
    await turn(replica, receiver);
    for (let nth = 0; nth < 20; nth += 1) await failTest();
    expect(receiver.received).toHaveLength(21);
    expect(await circuit()).toMatchObject({ failures: 1 });
    for (let nth = 2; (await replica.circuits.countOpen()) === 0; nth += 1) {
      await replica.intake.announce(new TestJob(`job_${nth}`, undefined).event('job.started'));
      await turn(replica, receiver);
    }
    const open = await circuit();
    await failTest();
    expect(await circuit()).toEqual(open);
  });
});

describe('a process that stops before it sends a requested webhook to a receiver whose circuit is open', () => {
  it('leaves it to the next process, which sends it at once', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(503).end());
    const replica = await fixture.replica();
    for (let nth = 0; nth < 20; nth += 1) await replica.intake.announce(new TestJob(`job_${nth}`, receiver.url).event('job.started'));
    while ((await replica.circuits.countOpen()) === 0) await turn(replica, receiver);
    const before = receiver.received.length;
    const [{ id }] = (await replica.of('job_19')) as [WebhookDelivery];
    await replica.redeliver(id, AT_ONCE);
    const draining = new AbortController();
    draining.abort();
    const ended = await turn(replica, receiver, undefined, draining);
    expect(receiver.received).toHaveLength(before);
    expect(ended?.again.getTime()).toBeLessThanOrEqual(fixture.clock.now().getTime());
    receiver.answer = (_request, response) => response.end();
    await turn(await fixture.replica(), receiver);
    expect(await replica.of('job_19')).toMatchObject([{ status: 'delivered' }]);
  });
});
