import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startParlance, type Parlance, type Problem } from '@parlance/testing';

const AT_ONCE = 50;
const BODY = { audio_url: 'http://127.0.0.1:9/talk.mp3', metadata: { order: '1' } };

/** Where there are several gateways, every second request goes to another. */
describe('fifty requests with one Idempotency-Key', () => {
  const opened = new AsyncDisposableStack();
  let parlance: Parlance;
  beforeAll(async () => {
    parlance = opened.use(await startParlance({ env: { SPEECH_ENGINE_URL: 'fixture:' } }));
  });
  afterAll(() => opened.disposeAsync());

  const create = (body: unknown = BODY) => parlance.api.post('/transcriptions', body, { 'idempotency-key': 'order-1' });
  const jobIds = async () => (await parlance.api.json<{ data: { job_id: string }[] }>('/transcriptions?metadata[order]=1')).data.map(({ job_id: jobId }) => jobId);

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
});
