import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { Webhook } from 'standardwebhooks';
import { DispatcherFixture, TestJob } from '../../test/dispatcher-fixture.js';
import { WEBHOOK_QUEUE } from './delivery-queue.js';
import { DEFAULT_SCHEDULE_SECONDS } from './retry-schedule.js';

const DAY = 24 * 3600 * 1000;

describe('the delivery queue', () => {
  it('delivers an event signed, so that the Standard Webhooks library accepts it', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.end('ok'));
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.status === 'delivered');

    const [webhook] = receiver.received;
    const { secret } = await replica.secrets.get('acc_1', undefined);
    const verified = new Webhook(secret).verify(webhook!.raw, webhook!.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'transcription.started', data: { job_id: 'job_1', sequence: 1, status: 'processing' } });
    expect(webhook!.headers).toMatchObject({ 'webhook-id': 'evt_job_1_1', 'content-type': 'application/json' });
    expect(delivery!.attempts).toEqual([{ attemptedAt: expect.any(String), statusCode: 200, latencyMs: expect.any(Number), responseBody: 'ok' }]);
  });

  it('makes one delivery of an event that comes three times', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const event = new TestJob('job_1', receiver.url).event('job.started');

    for (let time = 0; time < 3; time += 1) await replica.intake.announce(event);
    await replica.until('job_1', ([first]) => first?.status === 'delivered');
    await replica.close();
    expect(receiver.received).toHaveLength(1);
    expect(await replica.of('job_1')).toHaveLength(1);
  });

  it("sends what comes while its receiver is served once each, every job's in order", async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const [replica, other] = [(await fixture.replica()).start(), (await fixture.replica()).start()];
    const types = ['job.started', 'job.transcript_ready', 'job.completed'] as const;
    const run = async (jobId: string, nth: number) => {
      const job = new TestJob(jobId, receiver.url);
      for (const type of types) await (nth % 4 === 0 ? other : replica).intake.announce(job.event(type));
    };
    const jobs = Array.from({ length: 60 }, (_, nth) => `job_${nth}`);
    await Promise.all(jobs.map(run));
    await eventually('all to be delivered', async () => (await replica.deliveries.countPending()) === 0);
    await Promise.all([replica.close(), other.close()]);
    const expected = ['transcription.started', 'transcription.transcript_ready', 'transcription.completed'];
    expect(jobs.map((jobId) => receiver.typesOf(jobId))).toEqual(jobs.map(() => expected));
  });

  it('stores nothing for a job without a callback address', async () => {
    await using fixture = await DispatcherFixture.open();
    const replica = await fixture.replica();
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.started'));
    expect(await replica.of('job_1')).toEqual([]);
  });

  it('tries again on the schedule under the same id, and gives up after the last time', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(500).end('broken'));
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.completed'));
    for (let tries = 1; tries <= DEFAULT_SCHEDULE_SECONDS.length; tries += 1) {
      const [waiting] = await replica.until('job_1', ([first]) => first?.tries === tries);
      expect(waiting!.status).toBe('pending');
      const planned = DEFAULT_SCHEDULE_SECONDS[tries - 1]! * 1000;
      expect(Date.parse(waiting!.nextAttemptAt) - Date.parse(waiting!.attempts.at(-1)!.attemptedAt)).toBeGreaterThanOrEqual(planned);
      // The end of the turn stores how long the receiver is left alone, from then on.
      await replica.idle();
      replica.pass(planned + 1000);
    }
    const [failed] = await replica.until('job_1', ([first]) => first?.status === 'failed');
    expect(failed!.attempts).toHaveLength(10);
    expect(failed!.attempts[0]).toMatchObject({ statusCode: 500, error: 'The receiver answered 500.', responseBody: 'broken' });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['evt_job_1_1']));
  });

  it('does not follow a redirect', async () => {
    await using fixture = await DispatcherFixture.open();
    await using elsewhere = await WebhookReceiver.start();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(301, { location: elsewhere.url }).end());
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ statusCode: 301, error: expect.stringContaining('not followed') }] });
    expect(elsewhere.received).toEqual([]);
  });

  it('delivers to others while one receiver hangs with a backlog', async () => {
    await using fixture = await DispatcherFixture.open({ concurrency: 2 });
    await using hanging = await WebhookReceiver.start(() => undefined);
    await using healthy = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();

    for (let job = 0; job < 30; job += 1) await replica.intake.announce(new TestJob(`job_h${job}`, hanging.url).event('job.started'));
    await eventually('a hanging try', () => hanging.received.length > 0);
    for (let job = 0; job < 5; job += 1) await replica.intake.announce(new TestJob(`job_${job}`, healthy.url).event('job.started'));
    await eventually('the healthy receiver', () => healthy.received.length === 5);
    expect(hanging.received.length).toBeLessThanOrEqual(2);
  });

  it('gives each receiver its turn, however long the backlog of another is', async () => {
    await using fixture = await DispatcherFixture.open({ concurrency: 1 });
    await using busy = await WebhookReceiver.start();
    let busyBefore = 0;
    await using quiet = await WebhookReceiver.start((_request, response) => {
      busyBefore = busy.received.length;
      response.end();
    });
    const replica = await fixture.replica();
    for (let job = 0; job < 10; job += 1) await replica.intake.announce(new TestJob(`job_b${job}`, busy.url).event('job.started'));
    await replica.intake.announce(new TestJob('job_q', quiet.url).event('job.started'));
    replica.start();
    await eventually('all deliveries', async () => (await replica.deliveries.countPending()) === 0);
    expect(busyBefore).toBeLessThan(10);
  });

  it('makes no second try beside one whose lease ran out while the computer slept', async () => {
    await using fixture = await DispatcherFixture.open();
    const answer = Promise.withResolvers<void>();
    await using sleepy = await WebhookReceiver.start((_request, response) => answer.promise.then(() => void response.end()));
    await using other = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', sleepy.url).event('job.started'));
    await eventually('the try', () => sleepy.received.length === 1);
    replica.pass(60_000);
    await replica.intake.announce(new TestJob('job_2', other.url).event('job.started'));
    await replica.until('job_2', ([first]) => first?.status === 'delivered');
    answer.resolve();
    const [delivery] = await replica.until('job_1', ([first]) => first?.status === 'delivered');
    expect(delivery!.attempts).toHaveLength(1);
  });

  it('begins no second try of a job in a turn that has no time left after the first', async () => {
    await using fixture = await DispatcherFixture.open({ timeoutMs: 300 });
    await using hanging = await WebhookReceiver.start(() => undefined);
    const replica = await fixture.replica();
    const job = new TestJob('job_1', hanging.url);
    for (const type of ['job.started', 'job.transcript_ready'] as const) await replica.intake.announce(job.event(type));
    replica.start();
    await eventually('the try', () => hanging.received.length === 1);
    await replica.close();
    expect(hanging.received).toHaveLength(1);
  });

  it('begins none in the place of one that nobody wants any more, either', async () => {
    await using fixture = await DispatcherFixture.open({ timeoutMs: 300 });
    await using hanging = await WebhookReceiver.start(() => undefined);
    const replica = await fixture.replica();
    const endpoint = await replica.endpoints.create('acc_1', { url: hanging.url, eventTypes: ['transcription.started'], enabled: true });
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.started'));
    await replica.endpoints.delete('acc_1', endpoint.id);
    const job = new TestJob('job_2', hanging.url);
    for (const type of ['job.started', 'job.transcript_ready'] as const) await replica.intake.announce(job.event(type));
    replica.start();
    await eventually('the try', () => hanging.received.length === 1);
    await replica.close();
    expect(hanging.typesOf('job_2')).toEqual(['transcription.started']);
    expect(await replica.of('job_1')).toMatchObject([{ status: 'failed', attempts: [] }]);
  });

  it('gives up waiting for an answer after the time-out', async () => {
    await using fixture = await DispatcherFixture.open({ timeoutMs: 150 });
    await using receiver = await WebhookReceiver.start(() => undefined);
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ error: expect.stringMatching(/^No HTTP answer within 0.15 s/), latencyMs: 150 }] });
  });

  it('keeps a kilobyte of a 10 MB answer and hangs up', async () => {
    await using fixture = await DispatcherFixture.open();
    let sentMegabytes = 0;
    async function* tenMegabytes() {
      for (; sentMegabytes < 10; sentMegabytes += 1) yield Buffer.alloc(1024 * 1024, 'é');
    }
    let hungUp: Promise<unknown> | undefined;
    await using receiver = await WebhookReceiver.start(({ socket }, response) => {
      hungUp = new Promise((resolve) => socket.once('close', resolve));
      pipeline(Readable.from(tenMegabytes()), response).catch(() => undefined);
    });
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.status === 'delivered');
    expect(delivery!.attempts[0]!.responseBody).toBe('é'.repeat(512));
    await hungUp;
    expect(sentMegabytes).toBeLessThan(10);
  });

  it('counts a 2xx as success although the rest of the answer never comes', async () => {
    // Longer than this process, whose receiver it is, may be held up.
    await using fixture = await DispatcherFixture.open({ timeoutMs: 4000 });
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(200, { 'content-length': '50' }).write('part'));
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200, responseBody: 'part' }] });
  });

  it('tries again after a dropped connection', async () => {
    await using fixture = await DispatcherFixture.open();
    let answers = 0;
    await using receiver = await WebhookReceiver.start((request, response) => {
      answers += 1;
      return answers === 1 ? request.socket.destroy() : response.end();
    });
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [dropped] = await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(dropped!.attempts[0]).toMatchObject({ error: expect.stringMatching(/^No HTTP answer within 10 s/), latencyMs: 10_000, responseBody: '' });
    replica.pass(6000);
    await replica.until('job_1', ([first]) => first?.status === 'delivered');
  });

  it('waits as long as Retry-After asks', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(503, { 'retry-after': '120' }).end());
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(Date.parse(delivery!.nextAttemptAt) - Date.parse(delivery!.attempts[0]!.attemptedAt)).toBeGreaterThanOrEqual(120_000);
  });

  it('fails for good at a forbidden address, without a connection', async () => {
    await using fixture = await DispatcherFixture.open({ allow: [] });
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();

    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(delivery).toMatchObject({ status: 'failed', attempts: [{ error: expect.stringContaining('address_forbidden') }] });
    expect(receiver.received).toEqual([]);
  });
});

describe('the metrics', () => {
  it('count deliveries that came to an end, time the tries, and show what waits', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response, { raw }) =>
      response.writeHead(raw.includes('"job_1"') ? 200 : raw.includes('"job_2"') ? 410 : 500).end(),
    );
    const replica = (await fixture.replica()).start();
    for (const jobId of ['job_1', 'job_2', 'job_3']) {
      await replica.intake.announce(new TestJob(jobId, receiver.url).event('job.completed'));
      await replica.until(jobId, ([first]) => first?.tries === 1);
    }
    await replica.close();
    const text = await replica.metrics.metrics();
    expect(text).toContain('parlance_webhook_deliveries_total{status="delivered"} 1');
    expect(text).toContain('parlance_webhook_deliveries_total{status="failed"} 1');
    expect(text).toContain('parlance_webhook_attempt_seconds_count{outcome="retry"} 1');
    expect(text).toContain('parlance_webhook_pending 1');
  });
});

describe('the order of first tries', () => {
  it("is that of the job's events, each when the one before was tried, a failed one included", async () => {
    await using fixture = await DispatcherFixture.open();
    let open = 0;
    let atOnce = 0;
    await using receiver = await WebhookReceiver.start(async (_request, response, { raw }) => {
      atOnce = Math.max(atOnce, (open += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      open -= 1;
      response.writeHead(raw.includes('transcription.started') ? 500 : 200).end();
    });
    const replica = await fixture.replica();
    const job = new TestJob('job_1', receiver.url);
    for (const type of ['job.started', 'job.transcript_ready', 'job.stage_failed', 'job.completed'] as const) {
      await replica.intake.announce(job.event(type));
    }
    replica.start();
    await replica.until('job_1', (all) => all.every(({ tries }) => tries > 0));
    expect(receiver.typesOf('job_1')).toEqual(['transcription.started', 'transcription.transcript_ready', 'transcription.stage_failed', 'transcription.completed']);
    expect(atOnce).toBe(1);
  });
});

describe('an address that answers 410', () => {
  it("gets no later event of the job, neither those that wait nor those that come, and another job's all the same", async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response, { raw }) => response.writeHead(raw.includes('"job_1"') ? 410 : 200).end());
    const replica = await fixture.replica();
    const job = new TestJob('job_1', receiver.url);
    await replica.intake.announce(job.event('job.started'));
    await replica.intake.announce(job.event('job.transcript_ready'));
    replica.start();
    await replica.until('job_1', (all) => all.every(({ status }) => status === 'failed'));
    await replica.intake.announce(job.event('job.completed'));
    await replica.until('job_1', (all) => all.length === 3 && all.every(({ status }) => status === 'failed'));
    await replica.intake.announce(new TestJob('job_2', receiver.url).event('job.started'));
    await replica.until('job_2', ([first]) => first?.status === 'delivered');
    expect(receiver.received).toHaveLength(2);
  });

  it('gets no later event of the job though it is an account-wide endpoint as well', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(410).end());
    const replica = await fixture.replica();
    const { id } = await replica.endpoints.create('acc_1', { url: receiver.url, eventTypes: ['transcription.started', 'transcription.transcript_ready'], enabled: true });
    const job = new TestJob('job_1', receiver.url);
    for (const type of ['job.started', 'job.transcript_ready', 'job.completed'] as const) await replica.intake.announce(job.event(type));
    replica.start();
    await replica.until('job_1', (all) => all.every(({ status }) => status === 'failed'));
    expect(receiver.typesOf('job_1')).toEqual(['transcription.started']);
    expect(await replica.endpoints.get('acc_1', id)).toMatchObject({ enabled: false, disabled: { reason: 'gone' } });
  });

  it('is asked again when the owner redelivers, and then gets later events', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(410).end());
    const replica = (await fixture.replica()).start();
    const job = new TestJob('job_1', receiver.url);
    await replica.intake.announce(job.event('job.started'));
    const [gone] = await replica.until('job_1', ([first]) => first?.status === 'failed');

    receiver.answer = (_request, response) => response.end();
    await replica.redeliver(gone!.id);
    await replica.until('job_1', ([first]) => first?.status === 'delivered');
    await replica.intake.announce(job.event('job.completed'));
    await replica.until('job_1', (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
  });
});

describe('stored deliveries', () => {
  it('survive a restart', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(500).end());
    const before = (await fixture.replica()).start();
    await before.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await before.until('job_1', ([first]) => first?.tries === 1);
    await before.close();

    receiver.answer = (_request, response) => response.end();
    fixture.clock.advance(6000);
    const after = (await fixture.replica()).start();
    const [delivery] = await after.until('job_1', ([first]) => first?.status === 'delivered');
    expect(delivery!.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 200]);
  });

  it('are taken up by another replica when the lease of one that died runs out', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const dead = await fixture.replica();
    await dead.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await fixture.leaseAndDie();

    const alive = (await fixture.replica()).start();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(receiver.received).toEqual([]);
    alive.pass(15_001);
    await alive.until('job_1', ([first]) => first?.status === 'delivered');
  });

  it('are delivered once each by two replicas that work at the same time', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const replicas = [(await fixture.replica()).start(), (await fixture.replica()).start()];
    const jobs = Array.from({ length: 40 }, (_, index) => new TestJob(`job_${index}`, receiver.url, `acc_${index % 5}`));
    await Promise.all(jobs.map((job, index) => replicas[index % 2]!.intake.announce(job.event('job.started'))));
    await eventually('all deliveries', async () => (await replicas[0]!.deliveries.countPending()) === 0);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(40);
    expect(new Set(ids).size).toBe(40);
  });

  it('are not taken once closing has begun, which waits for the try that runs', async () => {
    await using fixture = await DispatcherFixture.open();
    let finish: (() => void) | undefined;
    await using receiver = await WebhookReceiver.start((_request, response) => (finish = () => response.end()));
    const replica = (await fixture.replica()).start();
    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await eventually('the try', () => finish !== undefined);
    const closed = replica.close();
    await replica.intake.announce(new TestJob('job_2', receiver.url).event('job.started'));
    finish!();
    await closed;
    expect((await replica.of('job_1'))[0]!.status).toBe('delivered');
    expect((await replica.of('job_2'))[0]!.status).toBe('pending');
    expect(await replica.tasks.backlog(WEBHOOK_QUEUE)).toMatchObject({ waiting: 1, running: 0 });
  });
});

describe('the end of a job', () => {
  const told = async (fixture: DispatcherFixture) => {
    const commits = await fixture.documents.outbox.pending(100);
    return commits.flatMap(({ events }) => events).map(({ type, data }) => ({ type, ...data }));
  };

  it('is settled when a 410 to an earlier event ends it without a try', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(410).end());
    const replica = await fixture.replica();
    const job = new TestJob('job_1', receiver.url);
    await replica.intake.announce(job.event('job.started'));
    await replica.intake.announce(job.event('job.completed'));
    expect(await told(fixture)).toEqual([]);
    replica.start();
    await replica.until('job_1', (all) => all.every(({ status }) => status === 'failed'));
    expect(receiver.received).toHaveLength(1);
    expect(await told(fixture)).toMatchObject([{ type: 'webhook.settled', jobId: 'job_1', sequence: 2 }]);
  });

  it('leaves nothing but the event when no address wants it', async () => {
    await using fixture = await DispatcherFixture.open();
    const replica = await fixture.replica();
    const event = new TestJob('job_1', undefined).event('job.completed');
    await replica.intake.announce(event);
    expect(await told(fixture)).toMatchObject([{ type: 'webhook.settled', jobId: 'job_1', sequence: 1 }]);
    expect(await fixture.documents.collection({ name: 'unwanted_events', indexes: [] }).count()).toBe(0);
  });
});

describe('deleting a job', () => {
  const deleted = { jobId: 'job_1', accountId: 'acc_1', erasureId: 'era_1' };

  it('drops what waits, reports once what was erased, and lets no late event bring anything back', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(500).end());
    const replica = (await fixture.replica()).start();
    const job = new TestJob('job_1', receiver.url);
    await replica.intake.announce(job.event('job.started'));
    await replica.intake.announce(job.event('job.completed'));
    await replica.until('job_1', (all) => all.every(({ tries }) => tries === 1));

    const { data } = job.event('job.completed');
    await replica.erasures.erase({ ...data, ...deleted });
    await replica.erasures.erase({ ...data, ...deleted });
    await replica.intake.announce(job.event('job.completed'));
    replica.pass(DAY);

    expect(await replica.of('job_1')).toEqual([]);
    const outbox = (await fixture.documents.outbox.pending(10)).flatMap(({ events }) => events);
    expect(outbox).toHaveLength(1);
    expect(outbox[0]).toMatchObject({
      type: 'erasure.reported',
      source: 'webhook-dispatcher',
      data: { erasureId: 'era_1', what: 'webhook_payloads', where: 'webhook-dispatcher', count: 4 },
    });
    await eventually('the task of the receiver to end', async () => {
      const { waiting, delayed, running } = await replica.tasks.backlog(WEBHOOK_QUEUE);
      return waiting + delayed + running === 0;
    });
  });

  it('leaves nothing when it comes while a try runs', async () => {
    await using fixture = await DispatcherFixture.open();
    let finish: (() => void) | undefined;
    await using receiver = await WebhookReceiver.start((_request, response) => (finish = () => response.end()));
    const replica = (await fixture.replica()).start();
    const job = new TestJob('job_1', receiver.url);
    await replica.intake.announce(job.event('job.started'));
    await eventually('the try', () => finish !== undefined);
    await replica.erasures.erase({ ...job.event('job.completed').data, ...deleted });
    finish!();
    await replica.close();
    expect(await replica.of('job_1')).toEqual([]);
  });
});
