import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type MediaAnswer, MediaServer, SHAPE, TIME_FACTOR, verifyWebhook, WebhookReceiver, type Parlance, type Problem } from '@parlance/testing';
import { product } from './product.js';

const AT_ONCE = 50;
/** Fourteen processes make jobs more slowly than one, and are killed in the middle of fewer as well. */
const BATCH = SHAPE === 'cluster' ? 200 : 1000;
const BODY = { audio_url: 'http://127.0.0.1:9/talk.mp3', metadata: { order: '1' } };

/** Sends a byte a second, so that the download is neither over nor given up. */
const trickles: MediaAnswer = (_request, response) => {
  const timer = setInterval(() => response.write('a'), 1000);
  response.writeHead(200).once('close', () => clearInterval(timer));
};

interface Batch {
  batch_id: string;
  status: string;
  counts: Record<string, number>;
}

/** Where there are several gateways, every second request goes to another. */
describe('fifty requests with one Idempotency-Key', () => {
  let parlance: Parlance;
  beforeAll(async () => {
    parlance = await product();
  });

  const create = (body: unknown = BODY) => parlance.api.post('/transcriptions', body, { 'idempotency-key': 'order-1' });
  const jobIds = async () => (await parlance.api.json<{ data: { job_id: string }[] }>('/transcriptions?metadata[order]=1')).data.map(({ job_id: jobId }) => jobId);

  const all = async <T>(path: string): Promise<T[]> => {
    const found: T[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: T[]; next_cursor: string | null } = await parlance.api.json(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`);
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    return found;
  };

  it('make one job, whose answer is given again after a restart, and to the same request only', async () => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => create()));
    const bodies = await Promise.all(answers.map((answer) => answer.json() as Promise<{ job_id: string } & Problem>));
    const accepted = bodies.filter((_, index) => answers[index]?.status === 202);
    expect(new Set(accepted.map(({ job_id: jobId }) => jobId)).size).toBe(1);
    expect(answers.filter(({ status, headers }) => status === 202 && headers.get('idempotency-replayed') === null)).toHaveLength(1);
    for (const body of bodies) if (!accepted.includes(body)) expect(body).toMatchObject({ status: 409, code: 'idempotency_in_flight', retryable: true });

    await parlance.restart();
    for (let gateway = 0; gateway < 2; gateway += 1) {
      const again = await create();
      expect([again.status, again.headers.get('idempotency-replayed'), await again.json()]).toEqual([202, 'true', accepted[0]]);
      const other = await create({ ...BODY, language: 'en' });
      expect([other.status, await other.json()]).toMatchObject([422, { code: 'idempotency_mismatch', retryable: false }]);
    }
    expect(await jobIds()).toEqual([accepted[0]?.job_id]);
  });

  it(`make one batch of ${BATCH} items, each of which is one job, though every process is killed while the jobs are created`, async () => {
    await using receiver = await WebhookReceiver.start();
    await using media = await MediaServer.start();
    // The last job stays in its download, so that the batch is open when it is canceled.
    const last = media.at('/talk.mp3', trickles);
    const items = Array.from({ length: BATCH }, (_, index) => (index % 100 === 0 ? { custom_id: `wrong-${index}` } : { audio_url: index === BATCH - 1 ? last : BODY.audio_url }));
    const send = () => parlance.api.post('/batches', { items, callback_url: receiver.url, defaults: { summary: false, highlights: false } }, { 'idempotency-key': 'batch-1' });
    const { batch_id: batchId } = (await (await send()).json()) as Batch;
    const batch = () => parlance.api.json<Batch>(`/batches/${batchId}`);
    await eventually('some of the jobs', async () => ((await batch()).counts['pending'] ?? 0) < BATCH * 0.9);
    await parlance.kill();
    await parlance.restart();
    expect(await (await send()).json()).toMatchObject({ batch_id: batchId });
    await eventually('every item to have its job', async () => (await batch()).counts['pending'] === 0, 360_000);
    expect((await batch()).counts).toMatchObject({ total: BATCH, refused: BATCH / 100, deleted: 0 });

    const jobs = await all<{ job_id: string; batch_id: string }>(`/transcriptions?batch_id=${batchId}`);
    const listed = await all<{ index: number; job_id?: string; error?: { code: string } }>(`/batches/${batchId}/items`);
    expect(listed.map(({ index }) => index)).toEqual(items.map((_, index) => index));
    const ofItems = listed.flatMap(({ job_id: jobId }) => jobId ?? []);
    expect(new Set(ofItems).size).toBe(BATCH - BATCH / 100);
    expect(jobs.map(({ job_id: jobId }) => jobId).toSorted()).toEqual(ofItems.toSorted());
    expect(listed[100]).toMatchObject({ error: { code: 'invalid_request' } });

    expect((await parlance.api.post(`/batches/${batchId}/cancel`, {})).status).toBe(202);
    await eventually('the batch to end', async () => (await batch()).status === 'canceled', 450_000);
    const webhook = await eventually('its webhook', () => receiver.received.find(({ body }) => body.type === 'batch.completed'));
    expect(webhook.body.data).toMatchObject({ batch_id: batchId, status: 'canceled', counts: { total: BATCH, refused: BATCH / 100 } });
    verifyWebhook((await parlance.api.json<{ secret: string }>('/webhook-secret')).secret, webhook);
    expect(receiver.received).toHaveLength(1);

    const archive = await parlance.api.post('/exports', { batch_id: batchId, formats: ['txt'] });
    const bytes = Buffer.from(await archive.arrayBuffer());
    expect([archive.status, bytes.subarray(0, 2).toString(), bytes.includes('manifest.json')]).toEqual([200, 'PK', true]);
  }, 1_200_000 * TIME_FACTOR);
});
