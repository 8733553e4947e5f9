import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, eventually, MediaServer, NO_ADD_ONS, saysNothing, startParlance, type Parlance, SAMPLES, verifyWebhook, WebhookReceiver, type TestApi } from '@parlance/testing';
import { reservePort } from '@parlance/platform/contract';

const COMPLETED = ['transcription.started', 'transcription.transcript_ready', 'transcription.completed'];
const SETTINGS = {
  SPEECH_ENGINE_URL: 'fixture:',
  // The receivers run in Jest. A webhook that is answered after the time-out is sent again.
  WEBHOOK_TIMEOUT_SECONDS: '10',
  WEBHOOK_RETRY_SCHEDULE: '0,0,1',
};

/** Of killed processes, others get the partitions once their sessions have timed out, and leases after that. */
const KILLED_PLACES_FREE_WITHIN_MS = 180_000;

interface ApiDescription {
  webhooks: Record<string, unknown>;
  components: { schemas: { TranscriptionEventData: { properties: Record<string, unknown> } } };
}

let parlance: Parlance;
let receiver: WebhookReceiver;
let api: TestApi;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  parlance = opened.use(await startParlance({ env: SETTINGS }));
  api = parlance.api;
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.close());

/** Takes all events but the last: on a busy machine, failures of several events open the circuit of the receiver. */
const atTheEnd = (answer: Answer): Answer => (request, response, received) => (received.body.type === 'transcription.completed' ? answer(request, response, received) : void response.writeHead(204).end());
const submit = (url: string) => api.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, callback_url: url });
const settled = (jobId: string, count = COMPLETED.length) =>
  eventually('every delivery to be settled', async () => {
    const deliveries = await api.deliveries(jobId);
    return deliveries.length === count && deliveries.every(({ status }) => status !== 'pending') && deliveries;
  });

describe('a receiver', () => {
  it('is told when a summary that was requested later is written, as is who watches the job or waits for the summary', async () => {
    const jobId = await api.upload(SAMPLES.meeting.path, { ...NO_ADD_ONS, callback_url: receiver.url, callback_include: '["transcript","summary"]' });
    await api.terminal(jobId);
    const { summary_id: id } = (await (await api.post(`/transcriptions/${jobId}/summaries`, { format: 'bullets' })).json()) as { summary_id: string };
    const watched = (async () => {
      const events = [];
      for await (const { event, data } of api.events(jobId)) events.push({ event, data });
      return events;
    })();
    const waited = await api.json<{ status: string; text: string }>(`/transcriptions/${jobId}/summaries/${id}?wait=60`);
    expect(waited).toMatchObject({ status: 'completed', text: expect.stringMatching(/./) });
    expect(await watched).toContainEqual({ event: 'summary', data: expect.objectContaining({ job_id: jobId, summary_id: id, status: 'completed' }) });
    await settled(jobId, COMPLETED.length + 1);
    const replayed = async (filter: string) => (await api.json<{ data: { type: string }[] }>(`/events?job_id=${jobId}${filter}`)).data.map(({ type }) => type);
    expect(await replayed('')).toEqual([...COMPLETED, 'summary.completed']);
    expect(await replayed('&order=desc&limit=2')).toEqual(['summary.completed', 'transcription.completed']);
    expect(await replayed('&type=transcription.started')).toEqual(['transcription.started']);
    expect(receiver.of(jobId).at(-1)?.body).toMatchObject({ type: 'summary.completed', data: { job_id: jobId, summary_id: id, status: 'completed', sequence: 4, summary: { summary_id: id, text: waited.text } } });
    const { transcript } = await api.json<{ transcript: object }>(`/transcriptions/${jobId}`);
    expect(receiver.of(jobId)[2]?.body.data).toMatchObject({ transcript, summary_omitted: 'not_available' });
  });

  it('gets a job’s events in order, each signed and under an id of its own', async () => {
    const jobId = await api.upload(SAMPLES.reading.path, { callback_url: receiver.url, metadata: JSON.stringify({ order: '66' }) });
    await settled(jobId);
    const received = receiver.of(jobId);
    expect(received.map(({ body }) => [body.type, body.data.sequence])).toEqual(COMPLETED.map((type, index) => [type, index + 1]));
    expect(received.at(-1)?.body.data).toMatchObject({ job_id: jobId, status: 'completed', metadata: { order: '66' } });
    const { secret } = await api.json<{ secret: string }>('/webhook-secret');
    expect(secret).toMatch(/^whsec_/);
    for (const webhook of received) {
      verifyWebhook(secret, webhook);
      expect(() => verifyWebhook(secret, { ...webhook, raw: `${webhook.raw} ` })).toThrow();
      expect(webhook.raw.length).toBeLessThan(20_000);
      expect(webhook.raw).not.toContain('"text"');
    }
    const { webhooks, components } = (await (await fetch(`${api.url}/openapi.json`)).json()) as ApiDescription;
    const described = Object.keys(components.schemas.TranscriptionEventData.properties);
    for (const { body } of received) expect([Object.keys(webhooks), described]).toEqual([expect.arrayContaining([body.type]), expect.arrayContaining(Object.keys(body.data))]);
    const deliveries = await api.deliveries(jobId);
    expect(new Set(deliveries.map(({ event_id: id }) => id))).toEqual(new Set(received.map(({ headers }) => headers['webhook-id'])));
    expect(deliveries.find(({ event_type: type }) => type === 'transcription.started')).toMatchObject({ url: receiver.url, status: 'delivered', attempts: [{ status_code: 204, latency_ms: expect.any(Number), response_body: '' }] });
  });

  it('has had the last webhook of a job that is not to be kept when the job is erased, as soon as that', async () => {
    const brief = { ...NO_ADD_ONS, callback_url: receiver.url, retention_hours: '0' };
    const isGone = async (jobId: string) => (await api.request('GET', `/transcriptions/${jobId}`)).status === 404;
    const delivered = await api.upload(SAMPLES.reading.path, brief);
    await eventually('the job to be erased', () => isGone(delivered));
    expect(receiver.typesOf(delivered)).toEqual(COMPLETED);

    receiver.answer = atTheEnd((_request, response) => response.writeHead(500).end());
    const refused = await api.upload(SAMPLES.reading.path, brief);
    await eventually('the job to be erased', () => isGone(refused));
    // Four tries: the schedule of this test.
    expect(receiver.typesOf(refused).filter((type) => type === 'transcription.completed')).toHaveLength(4);
  });

  it('has had it too when it is an endpoint of the account, and the job is erased at once when nobody wants to hear', async () => {
    const account = await parlance.newAccount();
    const isErased = async (jobId: string) => (await account.request('GET', `/transcriptions/${jobId}`)).status === 404;
    const unheard = await account.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, retention_hours: '0' });
    await eventually('the job to be erased', () => isErased(unheard));

    receiver.answer = (_request, response) => response.writeHead(500).end();
    expect((await account.post('/webhook-endpoints', { url: receiver.url, event_types: ['transcription.completed'] })).status).toBe(201);
    const refused = await account.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, retention_hours: '0' });
    await eventually('the job to be erased', () => isErased(refused));
    expect(receiver.typesOf(refused)).toEqual(Array(4).fill('transcription.completed'));
  });

  it('hears of a failed and of a canceled job', async () => {
    await using media = await MediaServer.start();
    const canceled = await api.submit({ audio_url: media.at('/talk.mp3', saysNothing), callback_url: receiver.url });
    await api.cancel(canceled);
    await eventually('the cancellation', () => receiver.typesOf(canceled).includes('transcription.canceled'));
    const mute = await api.tryUpload(`${SAMPLES.reading.path.replace('reading.flac', 'README.md')}`, { callback_url: receiver.url });
    const { job_id: jobId } = (await mute.json()) as { job_id: string };
    await eventually('the failure', () => receiver.typesOf(jobId).includes('transcription.failed'));
    expect(receiver.of(jobId).at(-1)?.body.data).toMatchObject({ status: 'failed', error: { code: 'media_unsupported' } });
  });

  it('that redirects is not followed', async () => {
    await using elsewhere = await WebhookReceiver.start();
    receiver.answer = atTheEnd((_request, response) => void response.writeHead(301, { location: elsewhere.url }).end('moved'));
    const deliveries = await settled(await submit(receiver.url));
    expect(elsewhere.received).toEqual([]);
    const redirected = { status_code: 301, error: expect.stringContaining('redirect'), response_body: 'moved' };
    expect(deliveries.find(({ event_type: type }) => type === 'transcription.completed')).toMatchObject({ status: 'failed', attempts: Array.from({ length: 4 }, () => redirected) });
  });

  it('that answers ten megabytes is read no further than its first kilobyte', async () => {
    receiver.answer = (_request, response) => void response.writeHead(200).end(Buffer.alloc(10_000_000, 'x'));
    const deliveries = await settled(await submit(receiver.url));
    for (const { status, attempts } of deliveries) {
      expect([status, attempts.length]).toEqual(['delivered', 1]);
      expect(attempts[0]?.response_body).toBe('x'.repeat(1024));
    }
  });

  it('that hangs is tried again, and holds nobody else back', async () => {
    await using quick = await WebhookReceiver.start();
    const unanswered: Parameters<Answer>[1][] = [];
    receiver.answer = (_request, response) => void unanswered.push(response);
    const slow = await submit(receiver.url);
    const other = await submit(quick.url);
    await settled(other);
    expect(quick.typesOf(other)).toEqual(COMPLETED);
    await eventually('a second try', async () => {
      const [first] = (await api.deliveries(slow)).toReversed().filter(({ attempts }) => attempts.length > 0);
      return first?.attempts[0]?.error?.startsWith('No HTTP answer within 10 s');
    });
    receiver.answer = (_request, response) => void response.writeHead(204).end();
    for (const response of unanswered) response.writeHead(204).end();
    expect((await settled(slow)).map(({ status }) => status)).toContain('delivered');
  });

  it('that is gone hears no more of the job', async () => {
    receiver.answer = (_request, response) => void response.writeHead(410).end();
    const jobId = await submit(receiver.url);
    await api.terminal(jobId);
    for (const { status } of await settled(jobId)) expect(status).toBe('failed');
    expect(receiver.typesOf(jobId)).toEqual(['transcription.started']);
  });
});

describe('while we are away, a receiver', () => {
  let ours: Parlance;
  const away = new AsyncDisposableStack();
  beforeAll(async () => {
    // Here a webhook that is sent again changes nothing.
    const env = { ...SETTINGS, SPEECH_ENGINE_URL: 'fixture:?delayMs=1000', WEBHOOK_TIMEOUT_SECONDS: '3', WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 20 }, () => 1).join(',') };
    ours = away.use(await startParlance({ env }));
  });
  afterAll(() => away.disposeAsync());

  it('that was down gets every event once it is back, under the ids of the first tries, over a restart of ours', async () => {
    const port = await reservePort();
    const jobId = await ours.api.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, callback_url: `http://127.0.0.1:${port}/hook` });
    await ours.api.terminal(jobId);
    // The others may be spared theirs: a receiver that has failed for long enough is left alone for a while.
    const tried = await eventually('all of them, and a first try of the first', async () => {
      const deliveries = await ours.api.deliveries(jobId);
      return deliveries.length === COMPLETED.length && (deliveries.at(-1)?.attempts.length ?? 0) > 0 && deliveries;
    });
    expect(tried.at(-1)?.attempts[0]).toMatchObject({ error: expect.stringContaining('No HTTP answer within 3 s') });
    expect(tried.at(-1)?.next_attempt_at).toEqual(expect.any(String));
    await ours.kill();

    await using back = await WebhookReceiver.start(undefined, port);
    await ours.restart();
    const delivered = await eventually('every event to arrive', async () => {
      const deliveries = await ours.api.deliveries(jobId);
      return deliveries.length === COMPLETED.length && deliveries.every(({ status }) => status === 'delivered') && deliveries;
    });
    const idsOf = (deliveries: typeof tried) => new Set(deliveries.map(({ event_id: id }) => id));
    expect(idsOf(delivered)).toEqual(idsOf(tried));
    expect(new Set(back.of(jobId).map(({ headers }) => headers['webhook-id']))).toEqual(idsOf(tried));
    const triesBefore = new Map(tried.map(({ event_id: id, attempts }) => [id, attempts.length]));
    for (const { event_id: id, attempts } of delivered) expect(attempts.length).toBeGreaterThan(triesBefore.get(id) ?? 0);
  });

  it('at an address that the operator no longer allows is refused with a clear error', async () => {
    // Events are delivered in order: the last one waits for an answer to the first, also where the job has ended before the kill.
    receiver.answer = () => undefined;
    const jobId = await ours.api.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, callback_url: receiver.url });
    await ours.kill();
    await ours.restart({ EGRESS_ALLOW: '' });
    const later = await ours.api.tryUpload(SAMPLES.reading.path, { callback_url: receiver.url });
    expect([later.status, await later.json()]).toEqual([422, expect.objectContaining({ code: 'address_forbidden' })]);
    expect((await ours.api.terminal(jobId)).status).toBe('completed');
    const deliveries = await eventually('the refusal', async () => {
      const all = await ours.api.deliveries(jobId);
      return all.length === COMPLETED.length && all.every(({ status }) => status !== 'pending') && all;
    }, KILLED_PLACES_FREE_WITHIN_MS, 250);
    expect(deliveries[0]).toMatchObject({
      event_type: 'transcription.completed',
      status: 'failed',
      attempts: [{ error: expect.stringContaining('address_forbidden'), response_body: '' }],
    });
    expect(receiver.typesOf(jobId)).not.toContain('transcription.completed');
  });
});

describe('an account-wide endpoint', () => {
  interface Endpoint {
    endpoint_id: string;
    enabled: boolean;
    disabled_reason?: string;
  }
  interface EventPage {
    data: { event_id: string; type: string; data: Record<string, unknown> }[];
    next_cursor: string;
    has_more: boolean;
  }
  const endpoints = async (path: string, method: string, body?: object): Promise<Endpoint & { delivery_id: string; secret: string }> => {
    const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return (await api.request(method, `/webhook-endpoints${path}`, json)).json() as Promise<Endpoint & { delivery_id: string; secret: string }>;
  };
  const add = (url: string, types?: string[]) => endpoints('', 'POST', { url, ...(types && { event_types: types }) });
  const eventsSince = async (after: string): Promise<EventPage> => api.json<EventPage>(`/events?after=${after}&limit=100`);
  const lastEvent = async (): Promise<string> => {
    for (let page = await api.json<EventPage>('/events?limit=100'); ; page = await eventsSince(page.next_cursor)) if (!page.has_more) return page.next_cursor;
  };

  it('gets the events of every job; when it is gone the others are told, and what it missed can be replayed until the job is erased', async () => {
    await using other = await WebhookReceiver.start();
    const { endpoint_id: id, secret: made } = await add(receiver.url);
    const { endpoint_id: otherId } = await add(other.url, ['webhook_endpoint.disabled']);
    try {
      const { delivery_id: testId } = await endpoints(`/${id}/test`, 'POST');
      await eventually('the test', async () => (await api.json<{ status: string }>(`/deliveries/${testId}`)).status === 'delivered');
      const { secret } = await api.json<{ secret: string }>(`/webhook-endpoints/${id}/secret`);
      expect(secret).toBe(made);
      verifyWebhook(secret, receiver.received[0]!);
      const { secret: shared } = await api.json<{ secret: string }>('/webhook-secret');
      expect(() => verifyWebhook(shared, receiver.received[0]!)).toThrow('No matching signature');

      const before = await lastEvent();
      const jobId = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
      await settled(jobId);
      expect(receiver.typesOf(jobId)).toEqual(COMPLETED);
      const replayed = await eventsSince(before);
      expect(replayed.data.map(({ event_id: eventId, type, data }) => ({ eventId, type, data }))).toEqual(
        receiver.of(jobId).map(({ headers, body: { type, data } }) => ({ eventId: headers['webhook-id'], type, data })),
      );
      expect((await eventsSince(replayed.data[0]!.event_id)).data).toHaveLength(2);

      receiver.answer = (_request, response) => void response.writeHead(410).end();
      const lost = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
      await eventually('the notice', () => other.received.length === 1);
      expect(other.received[0]!.body).toMatchObject({ type: 'webhook_endpoint.disabled', data: { endpoint_id: id, reason: 'gone' } });
      expect(await endpoints(`/${id}`, 'GET')).toMatchObject({ enabled: false, disabled_reason: 'gone' });
      await api.terminal(lost);
      const missed = await eventually('all events', async () => {
        const { data } = await eventsSince(replayed.next_cursor);
        return data.filter((event) => event.data.job_id === lost).length === COMPLETED.length && data;
      });
      expect(missed.map(({ type }) => type)).toContain('webhook_endpoint.disabled');

      receiver.answer = (_request, response) => void response.writeHead(204).end();
      expect(await endpoints(`/${id}`, 'PATCH', { enabled: true })).toMatchObject({ enabled: true });
      const [gone] = await api.deliveries(lost);
      await api.request('POST', `/deliveries/${gone!.delivery_id}/redeliver`);
      await eventually('the redelivery', async () => (await api.deliveries(lost)).some(({ status }) => status === 'delivered'));

      await api.request('DELETE', `/transcriptions/${lost}`);
      await eventually('the events to be erased', async () => (await eventsSince(replayed.next_cursor)).data.every(({ data }) => data.job_id !== lost));
    } finally {
      for (const each of [id, otherId]) await api.request('DELETE', `/webhook-endpoints/${each}`);
    }
  });
});
