import { describe, expect, it, jest } from '@jest/globals';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob } from '../../test/dispatcher-fixture.js';
import type { WebhookDelivery } from './delivery.js';

describe('a delivery', () => {
  it('is stored before its first try, and what came of it after that', async () => {
    await using fixture = await DispatcherFixture.open();
    const before: WebhookDelivery[] = [];
    await using receiver = await WebhookReceiver.start(async (_request, response, { headers }) => {
      const stored = (await replica.of('job_1')).find(({ eventId }) => eventId === headers['webhook-id']);
      if (stored) before.push(stored);
      response.end();
    });
    const replica = (await fixture.replica()).start();
    const job = new TestJob('job_1', receiver.url);

    await replica.intake.announce(job.event('job.started'));
    await replica.intake.announce(job.event('job.completed'));

    await replica.until('job_1', (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
    expect(before.map(({ status, tries, attempts }) => [status, tries, attempts.length])).toEqual([['pending', 0, 0], ['pending', 0, 0]]);
    expect(receiver.typesOf('job_1')).toEqual(['transcription.started', 'transcription.completed']);
    const outbox = (await fixture.documents.outbox.pending(10)).flatMap(({ events }) => events);
    expect(outbox.map(({ type }) => type)).toEqual(['webhook.settled']);
  });

  it('waits for its retry when the first try fails', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(500).end());
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.completed'));

    await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(await replica.of('job_1')).toMatchObject([{ status: 'pending', tries: 1, attempts: [{ statusCode: 500 }] }]);
    expect(await fixture.documents.outbox.pending(10)).toEqual([]);
  });

  it('waits while its receiver takes its time, and holds up no more events', async () => {
    await using fixture = await DispatcherFixture.open();
    const answers: (() => void)[] = [];
    await using receiver = await WebhookReceiver.start((_request, response) => answers.push(() => response.end()));
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    expect(await replica.of('job_1')).toMatchObject([{ status: 'pending', tries: 0 }]);
    await replica.intake.announce(new TestJob('job_2', receiver.url).event('job.started'));
    expect(await replica.of('job_2')).toMatchObject([{ status: 'pending', tries: 0 }]);

    await eventually('both to be delivered', async () => {
      answers.splice(0).forEach((answer) => answer());
      return (await replica.deliveries.countPending()) === 0;
    });
    await replica.close();
    expect(receiver.received).toHaveLength(2);
  });

  it('is sent when the event comes again after a crash, and not once more when it comes again after that', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const event = new TestJob('job_1', receiver.url).event('job.completed');
    const crashed = await fixture.replica();
    const { jobId, accountId } = event.data;
    const destinations = [{ url: receiver.url }];
    await crashed.events.append({ id: event.id, accountId, jobId, event: { type: 'transcription.completed', sequence: 1, body: '{}', destinations } });

    const replica = (await fixture.replica()).start();
    await replica.intake.announce(event);
    await replica.until('job_1', ([first]) => first?.status === 'delivered');
    await replica.intake.announce(event);
    await replica.idle();
    await replica.close();
    expect(receiver.received).toHaveLength(1);
  });

  it('is sent when the event comes again after a crash before its receiver was woken', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const event = new TestJob('job_1', receiver.url).event('job.completed');
    const crashing = await fixture.replica();
    jest.spyOn(crashing.queue, 'wake').mockRejectedValueOnce(new Error('killed'));
    await expect(crashing.intake.announce(event)).rejects.toThrow('killed');

    const replica = (await fixture.replica()).start();
    await replica.intake.announce(event);
    await replica.until('job_1', ([first]) => first?.status === 'delivered');
    expect(receiver.received).toHaveLength(1);
  });

  it('is not sent in a later turn once its job is erased', async () => {
    await using fixture = await DispatcherFixture.open();
    const answers: (() => void)[] = [];
    await using receiver = await WebhookReceiver.start((_request, response) => answers.push(() => response.end()));
    const replica = (await fixture.replica()).start();
    const announce = (jobId: string) => replica.intake.announce(new TestJob(jobId, receiver.url).event('job.started'));
    const first = announce('job_1');
    await eventually('the first try', () => answers.length === 1);
    await Promise.all([first, announce('job_erased')]);
    await replica.erasures.erase({ ...new TestJob('job_erased', undefined).event('job.started').data, erasureId: 'era_1' });

    fixture.clock.advance(4_000);
    await Promise.all([announce('job_2'), eventually('all to be delivered', async () => {
      answers.splice(0).forEach((answer) => answer());
      return receiver.typesOf('job_2').length > 0 && (await replica.deliveries.countPending()) === 0;
    })]);
    await replica.close();
    expect(receiver.typesOf('job_erased')).toEqual([]);
  });

  it('is not stored any more after its event has failed, which may be erased from then on', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    await using slow = await WebhookReceiver.start(() => undefined);
    const replica = (await fixture.replica()).start();
    await replica.endpoints.create('acc_1', { url: slow.url, eventTypes: ['transcription.started'], enabled: true });
    const add = jest.spyOn(replica.deliveries.collection, 'insertIfAbsent').mockRejectedValueOnce(new Error('disk full'));

    await expect(replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'))).rejects.toThrow('disk full');
    expect(add).toHaveBeenCalledTimes(2);
    expect(await replica.of('job_1')).toHaveLength(1);
  });

  it('says whether its event has other destinations, which dispatchers of the release before depend on', async () => {
    await using fixture = await DispatcherFixture.open();
    const replica = await fixture.replica();
    await replica.intake.announce(new TestJob('job_1', 'http://127.0.0.1:9/a').event('job.completed'));
    await replica.endpoints.create('acc_1', { url: 'http://127.0.0.1:9/b', eventTypes: ['transcription.completed'], enabled: true });
    await replica.intake.announce(new TestJob('job_2', 'http://127.0.0.1:9/a').event('job.completed'));
    expect((await replica.of('job_1')).map(({ shared }) => shared)).toEqual([false]);
    expect((await replica.of('job_2')).map(({ shared }) => shared)).toEqual([true, true]);
  });

  it('is left to the replica that serves its receiver', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const [serving, other] = [(await fixture.replica()).start(), (await fixture.replica()).start()];

    await serving.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await other.intake.announce(new TestJob('job_2', receiver.url).event('job.started'));

    await other.until('job_2', ([first]) => first?.status === 'delivered');
    await other.until('job_1', ([first]) => first?.status === 'delivered');
    expect(receiver.received).toHaveLength(2);
  });

  it('is delivered in order with the others of its job, to a receiver that is served for long', async () => {
    await using fixture = await DispatcherFixture.open({ timeoutMs: 1_000 });
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const jobs = Array.from({ length: 40 }, (_, nth) => new TestJob(`job_${nth}`, receiver.url));

    for (const job of jobs) {
      await Promise.all([replica.intake.announce(job.event('job.started')), replica.pass(100)]);
      await replica.intake.announce(job.event('job.completed'));
    }

    await eventually('all to be delivered', async () => (await replica.deliveries.countPending()) === 0);
    await replica.close();
    const types = ['transcription.started', 'transcription.completed'];
    expect(jobs.map(({ jobId }) => receiver.typesOf(jobId))).toEqual(jobs.map(() => types));
  });
});
