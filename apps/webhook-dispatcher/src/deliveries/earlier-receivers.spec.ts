import { describe, expect, it } from '@jest/globals';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';
import { RECEIVERS, type Receiver } from './circuit-breaker.js';
import { WEBHOOK_QUEUE } from './delivery-queue.js';
import { receiverId } from './delivery.js';

const HOUR_MS = 3600_000;

describe('an upgrade from a version without the task queue', () => {
  /** Stores a delivery as that version did: beside the document of its receiver, and without a task. */
  async function storedBefore(fixture: DispatcherFixture, jobId: string, { url }: WebhookReceiver, receiver: Partial<Receiver> = {}): Promise<string> {
    const before = await fixture.replica();
    await before.intake.announce(new TestJob(jobId, url).event('job.started'));
    await before.tasks.removeGroup(WEBHOOK_QUEUE, receiverId('acc_1', url));
    const now = fixture.clock.now().toISOString();
    const id = receiverId('acc_1', url);
    await fixture.documents.collection(RECEIVERS).insert({ id, createdAt: now, dueAt: now, leased: false, ...receiver });
    return id;
  }
  const from = (fixture: DispatcherFixture, ms: number) => new Date(fixture.clock.now().getTime() + ms).toISOString();
  const receivers = async (fixture: DispatcherFixture) => (await fixture.documents.collection(RECEIVERS).find()).items.map(({ document }) => document);
  const delivered = (replica: DispatcherReplica, jobId: string) => replica.until(jobId, ([first]) => first?.status === 'delivered');

  it('goes on with the deliveries that waited', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await storedBefore(fixture, 'job_1', receiver);
    const replica = (await fixture.replica()).start();
    await replica.earlier.takeOver();
    await delivered(replica, 'job_1');
    await replica.earlier.takeOver();
    await replica.idle();
    expect([receiver.received.length, await receivers(fixture)]).toEqual([1, []]);
  });

  it('tries a delivery that waits for its retry when that is due', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await storedBefore(fixture, 'job_1', receiver, { dueAt: from(fixture, HOUR_MS) });
    const replica = (await fixture.replica()).start();
    await replica.earlier.takeOver();
    expect(await replica.tasks.backlog(WEBHOOK_QUEUE)).toMatchObject({ waiting: 0, delayed: 1 });
    replica.pass(HOUR_MS + 1);
    await delivered(replica, 'job_1');
  });

  it('leaves a receiver that an earlier version still serves to it, and takes it when its lease has run out', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await storedBefore(fixture, 'job_1', receiver, { leased: true, dueAt: from(fixture, 20_000) });
    const replica = (await fixture.replica()).start();
    await replica.earlier.takeOver();
    expect(await replica.tasks.backlog(WEBHOOK_QUEUE)).toMatchObject({ waiting: 0, delayed: 0 });
    replica.pass(20_001);
    await replica.earlier.takeOver();
    await delivered(replica, 'job_1');
  });

  it('keeps open circuits open, and a redelivery that was asked for first', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const openUntil = from(fixture, HOUR_MS);
    const circuit = { failures: 20, since: from(fixture, -1000), openUntil, restMs: 300_000 };
    const id = await storedBefore(fixture, 'job_1', receiver, { circuit, resting: true });
    const replica = (await fixture.replica()).start();
    await replica.earlier.takeOver();
    await eventually('the turn', async () => (await replica.tasks.backlog(WEBHOOK_QUEUE)).delayed === 1);
    expect([receiver.received.length, await receivers(fixture)]).toEqual([0, [{ id, createdAt: expect.any(String), circuit, resting: true }]]);

    const [waiting] = await replica.of('job_1');
    await replica.queue.redeliverAtOnce('acc_1', waiting!.id);
    await delivered(replica, 'job_1');
    await replica.idle();
    expect(await receivers(fixture)).toEqual([]);
  });
});
