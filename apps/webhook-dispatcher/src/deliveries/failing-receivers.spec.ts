import { describe, expect, it } from '@jest/globals';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';
import { AT_ONCE, type WebhookDelivery } from './delivery.js';

const openCircuit = async (replica: DispatcherReplica, receiver: WebhookReceiver) => {
  receiver.answer = (_request, response) => response.writeHead(503).end();
  for (let nth = 0; nth < 20; nth += 1) await replica.intake.announce(new TestJob(`job_${nth}`, receiver.url).event('job.started'));
  await eventually('the failures', () => receiver.received.length >= 20);
  await replica.close();
};

describe('a receiver that keeps failing', () => {
  it('is asked by one webhook at a time, at growing distances, and gets all of them in order once it answers', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await openCircuit((await fixture.replica()).start(), receiver);
    const before = receiver.received.length;
    const replica = (await fixture.replica()).start();
    const job = new TestJob('job_later', receiver.url);
    for (const type of ['job.started', 'job.transcript_ready', 'job.completed'] as const) await replica.intake.announce(job.event(type));
    for (const [probes, seconds] of [[1, 5], [2, 10], [3, 20]] as const) {
      replica.pass(seconds * 1000 + 1);
      await eventually('a probe', () => receiver.received.length === before + probes);
      await replica.idle();
    }
    receiver.answer = (_request, response) => response.end();
    replica.pass(41_000);
    await replica.until('job_later', (all) => all.every(({ status }) => status === 'delivered'));
    const [first, ...later] = receiver.typesOf('job_later').filter((type, nth, all) => all.indexOf(type) === nth);
    expect([first, ...later]).toEqual(['transcription.started', 'transcription.transcript_ready', 'transcription.completed']);
    replica.pass(3600 * 1000);
    await eventually('all of them', async () => (await replica.deliveries.countPending()) === 0);
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(23);
  });

  it('is asked at once when the owner redelivers', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await openCircuit((await fixture.replica()).start(), receiver);
    receiver.answer = (_request, response) => response.end();
    const replica = (await fixture.replica()).start();
    const [{ id }] = (await replica.of('job_19')) as [WebhookDelivery];
    await replica.redeliver(id, AT_ONCE);
    await replica.until('job_19', ([first]) => first?.status === 'delivered');
  });

  it('keeps nothing waiting longer than its tries would have taken', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await openCircuit((await fixture.replica()).start(), receiver);
    const before = receiver.received.length;
    const replica = (await fixture.replica()).start();
    await replica.intake.announce(new TestJob('job_last', receiver.url).event('job.started'));
    replica.pass(5 * 24 * 3600 * 1000);
    const [given] = await replica.until('job_last', ([first]) => first?.status === 'failed');
    expect(given).toMatchObject({ error: expect.stringContaining('did not recover'), attempts: [] });
    expect(receiver.received).toHaveLength(before);
  });

  it('leaves another address of the same host alone', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await openCircuit((await fixture.replica()).start(), receiver);
    receiver.answer = (_request, response) => response.end();
    const replica = (await fixture.replica()).start();
    await replica.intake.announce(new TestJob('job_else', `${receiver.url}/else`).event('job.started'));
    await replica.until('job_else', ([first]) => first?.status === 'delivered');
  });
});

describe('a connection that was kept', () => {
  it('and is closed by the receiver just then does not count as a failed try', async () => {
    // Longer than this process may be held up between the two webhooks.
    await using fixture = await DispatcherFixture.open({ keepAliveMs: 60_000 });
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await replica.until('job_1', ([first]) => first?.status === 'delivered');
    let requests = 0;
    receiver.answer = (request, response) => ((requests += 1) === 1 ? request.socket.destroy() : response.end());
    await replica.intake.announce(new TestJob('job_2', receiver.url).event('job.started'));
    const [second] = await replica.until('job_2', ([first]) => first?.status === 'delivered');
    expect([requests, second!.attempts.length]).toEqual([2, 1]);
  });
});

describe('an address whose name changes its mind', () => {
  it('is refused when the connection is made, though it was public when it was looked at', async () => {
    const answers = ['93.184.216.34', '127.0.0.1', '169.254.169.254'];
    let lookups = 0;
    await using fixture = await DispatcherFixture.open({
      // An allowed network leaves the port to be judged by the address.
      allow: ['10.9.9.0/24'],
      lookup: (_host, _options, callback) => callback(null, [{ address: answers[(lookups += 1)]!, family: 4 }]),
    });
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const { port } = new URL(receiver.url);
    for (const jobId of ['job_1', 'job_2']) {
      await replica.intake.announce(new TestJob(jobId, `http://hooks.example:${port}/`).event('job.started'));
      const [delivery] = await replica.until(jobId, ([first]) => (first?.tries ?? 0) > 0);
      expect(delivery).toMatchObject({ status: 'failed', attempts: [{ error: expect.stringContaining('address_forbidden') }] });
    }
    expect([lookups, receiver.received.length]).toEqual([2, 0]);
  });
});

describe('the time of the next try', () => {
  it.each([
    [0, 240],
    [0.999_999, 360],
  ])('is spread by a fifth (%d), stored, and the same after a restart', async (random, seconds) => {
    await using fixture = await DispatcherFixture.open({ random });
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(500).end());
    const before = (await fixture.replica()).start();
    await before.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await before.until('job_1', ([first]) => first?.tries === 1);
    before.pass(6001);
    const [tried] = await before.until('job_1', ([first]) => first?.tries === 2);
    await before.close();
    const delay = (Date.parse(tried!.nextAttemptAt) - Date.parse(tried!.attempts[1]!.attemptedAt)) / 1000;
    expect(delay).toBeGreaterThanOrEqual(seconds);
    expect(delay).toBeLessThan(seconds + 10);
    const [after] = await (await fixture.replica()).start().of('job_1');
    expect(after).toEqual(tried);
  });
});
