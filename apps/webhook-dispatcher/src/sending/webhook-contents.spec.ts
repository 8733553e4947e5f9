import { describe, expect, it, jest } from '@jest/globals';
import { summary, transcription, type SubscribableType, type WebhookContent } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob } from '../../test/dispatcher-fixture.js';
import { ContentPlaces } from './content-places.js';

const away = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'transcription does not answer.' });
const none = () => new AppError({ kind: 'not_found', code: 'not_found', message: 'The transcript does not exist.' });

/** A transcript of one segment; `failures` are thrown first. */
function services(text: string, failures: AppError[] = []) {
  const header = { language: 'en', duration: 2, formatting: 'rules', speakers: [], segmentCount: 1, engine: 'fixture', version: 1 };
  const segments = [{ segmentId: 'seg_000001', start: 0, end: 2, text, words: [] }];
  return {
    transcripts: {
      getTranscript: async function* () {
        const failure = failures.shift();
        if (failure) throw failure;
        yield transcription.GetTranscriptResponse.fromPartial({ header, segments });
      },
    },
    summaries: {
      getSummary: async ({ summaryId = 'sum_1' }) => ({ summary: summary.Summary.fromPartial({ summaryId, status: summary.WorkStatus.WORK_STATUS_COMPLETED, format: 'brief', language: 'en', text: 'It is *short*.' }) }),
    },
  };
}

async function opened(given: Parameters<typeof DispatcherFixture.open>[0], include: WebhookContent[], eventTypes: SubscribableType[] = ['transcription.started', 'transcription.completed']) {
  const fixture = await DispatcherFixture.open(given);
  const receiver = await WebhookReceiver.start();
  const replica = (await fixture.replica()).start();
  await replica.endpoints.create('acc_1', { url: receiver.url, eventTypes, enabled: true, include }, 'whe_1');
  const close = async () => {
    await fixture[Symbol.asyncDispose]();
    await receiver.close();
  };
  return { replica, receiver, [Symbol.asyncDispose]: close };
}

describe('contents of webhooks about a sealed job', () => {
  it('are the JWE at its end, and nothing before', async () => {
    const asked: string[] = [];
    const jobs = {
      getSealedResult: async function* ({ jobId }: { jobId: string }) {
        asked.push(jobId);
        yield { data: Buffer.from('eyJh') };
        yield { data: Buffer.from('.e30.') };
      },
    };
    await using test = await opened({ ...services('Good morning.'), jobs }, ['transcript', 'summary'], ['transcription.transcript_ready', 'transcription.completed']);
    const job = new TestJob('job_1', undefined);
    for (const type of ['job.transcript_ready', 'job.completed'] as const) {
      const event = job.event(type);
      await test.replica.intake.announce({ ...event, data: { ...event.data, sealed: true } });
    }
    await test.replica.until('job_1', (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
    const [ready, completed] = test.receiver.of('job_1').map(({ body }) => body.data);
    expect(ready).toMatchObject({ sealed: true });
    expect(completed).toMatchObject({ sealed: true, sealed_result: 'eyJh.e30.' });
    for (const data of [ready, completed]) expect(Object.keys(data ?? {}).filter((name) => /^(transcript|summary)/.test(name))).toEqual([]);
    expect(asked).toEqual(['job_1']);
  });
});

describe('contents of webhooks', () => {
  it('are in the events that are about them, and not stored with the delivery', async () => {
    await using test = await opened(services('Good morning.'), ['transcript', 'summary']);
    const { replica, receiver } = test;
    const job = new TestJob('job_1', undefined);
    await replica.intake.announce(job.event('job.started'));
    await replica.intake.announce(job.event('job.completed'));
    await replica.until('job_1', (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
    const [started, completed] = receiver.of('job_1').map(({ body }) => body.data);
    expect(started).not.toHaveProperty('transcript');
    expect(completed).toMatchObject({
      job_id: 'job_1',
      transcript: { language: 'en', duration: 2, text: 'Good morning.', segments: [{ segment_id: 'seg_000001', start: 0, end: 2, text: 'Good morning.' }] },
      summary: { summary_id: 'sum_1', format: 'brief', language: 'en', text: 'It is *short*.' },
    });
    expect(JSON.stringify([await replica.of('job_1'), await replica.events.list('acc_1', undefined, 10)])).not.toContain('Good morning');
  });

  it('are left out when they are too large, or are no more, and the event says why and where they are', async () => {
    for (const [given, reason] of [[services('word '.repeat(120_000)), 'too_large'], [services('', [none()]), 'not_available']] as const) {
      await using test = await opened(given, ['transcript']);
      await test.replica.intake.announce(new TestJob('job_1', undefined).event('job.completed'));
      await test.replica.until('job_1', ([first]) => first?.status === 'delivered');
      const { data } = test.receiver.of('job_1')[0]!.body;
      expect(data).toMatchObject({ transcript_omitted: reason, transcript_url: '/api/v1/transcriptions/job_1/transcript' });
      expect(data).not.toHaveProperty('transcript');
    }
  });

  it('are waited for while their service is away, which is no failure of the receiver', async () => {
    await using test = await opened(services('Good morning.', [away()]), ['transcript']);
    const { replica, receiver } = test;
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.completed'));
    await replica.until('job_1', ([first]) => {
      replica.pass(1000);
      return first?.status === 'delivered';
    });
    expect((await replica.of('job_1'))[0]).toMatchObject({ attempts: [{ statusCode: 204 }] });
    expect(receiver.of('job_1').map(({ body }) => body.data)).toMatchObject([{ transcript: { text: 'Good morning.' } }]);
  });

  it('are waited for by a retry as well, however long after the event it comes', async () => {
    const failures: AppError[] = [];
    await using test = await opened(services('Good morning.', failures), ['transcript']);
    const { replica, receiver } = test;
    receiver.answer = (_request, response) => response.writeHead(500).end();
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.completed'));
    for (const [nth, seconds] of [5, 300, 1_800].entries()) {
      await replica.until('job_1', ([first]) => first?.tries === nth + 1);
      await replica.idle();
      if (nth < 2) replica.pass(1.2 * seconds * 1_000);
    }
    failures.push(away());
    receiver.answer = (_request, response) => response.end();
    replica.pass(2 * 1_000_000);
    await replica.until('job_1', ([first]) => {
      replica.pass(1_000);
      return first?.status === 'delivered';
    });
    expect(failures).toEqual([]);
    expect(receiver.of('job_1').at(-1)?.body.data).toMatchObject({ transcript: { text: 'Good morning.' } });
  });

  it('hold up no webhook for longer than ten minutes', async () => {
    await using test = await opened(services('Good morning.', Array.from({ length: 1000 }, away)), ['transcript']);
    const { replica, receiver } = test;
    await replica.intake.announce(new TestJob('job_1', undefined).event('job.completed'));
    await replica.until('job_1', ([first]) => {
      replica.pass(60_000);
      return first?.status === 'delivered';
    });
    expect(receiver.of('job_1').map(({ body }) => body.data)).toMatchObject([{ transcript_omitted: 'not_available' }]);
  });
});

it('contents in memory are bounded, and of one account more than of all', async () => {
  const places = new ContentPlaces(3, 2, 60_000);
  const running: string[] = [];
  let most = 0;
  const work = (account: string) =>
    places.hold(account, new AbortController().signal, async () => {
      running.push(account);
      most = Math.max(most, running.length);
      expect(running.filter((each) => each === account).length).toBeLessThanOrEqual(2);
      await new Promise((resolve) => setImmediate(resolve));
      running.splice(running.indexOf(account), 1);
    });
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(work));
  expect([most, running]).toEqual([3, []]);
});

describe('a webhook that waits for a place', () => {
  const full = (maxWaitMs: number) => {
    const places = new ContentPlaces(1, 1, maxWaitMs);
    const free = Promise.withResolvers<void>();
    return { places, free: free.resolve, first: places.hold('a', new AbortController().signal, () => free.promise) };
  };

  it('is not sent later once it has waited for too long, and may be tried again', async () => {
    const { places, free, first } = full(10);
    const late = jest.fn(async () => undefined);
    await expect(places.hold('b', new AbortController().signal, late)).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
    free();
    await first;
    await places.hold('b', new AbortController().signal, async () => undefined);
    expect(late).not.toHaveBeenCalled();
  });

  it('is not sent once another worker has its receiver', async () => {
    const { places, free, first } = full(60_000);
    const lease = new AbortController();
    const late = jest.fn(async () => undefined);
    const waiting = expect(places.hold('b', lease.signal, late)).rejects.toThrow('the lease is lost');
    lease.abort(new Error('the lease is lost'));
    await waiting;
    free();
    await first;
    expect(late).not.toHaveBeenCalled();
  });
});
