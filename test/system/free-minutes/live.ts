import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type JobAnswer, type Parlance, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';
import { product } from './product.js';

interface Created {
  id: string;
  url: string;
  token: string;
}

const BYTES_PER_SECOND = 32_000;
const FREE_SECONDS = 6;
const RAW = { language: 'en', audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } };

const billedOf = (job: JobAnswer) => (job.usage as { billed_seconds: number } | undefined)?.billed_seconds ?? 0;
const usedBy = async (api: TestApi) => (await api.json<{ total_seconds: number }>('/usage')).total_seconds;
const create = async (api: TestApi) => (await (await api.post('/live', RAW)).json()) as Created;
const acknowledged = (client: LiveClient) => (client.of('ack').at(-1)?.audio_ms ?? 0) / 1000;

async function streaming({ url, token }: Created, seconds: number): Promise<LiveClient> {
  const client = await LiveClient.open(`${url}?after=0`, ['parlance.v1', `token.${token}`]).opened();
  client.send(Buffer.alloc(seconds * BYTES_PER_SECOND), BYTES_PER_SECOND / 10);
  return client;
}

describe('what live sessions take', () => {
  let parlance: Parlance;
  beforeAll(async () => {
    parlance = await product();
  });

  it.each(['canceled', 'deleted'] as const)('is billed once, also when its job is %s while it is open', async (how) => {
    const api = await parlance.newAccount();
    const session = await create(api);
    const client = await streaming(session, 3);
    await client.next('ack', ({ audio_ms: ms }) => ms === 3000);
    if (how === 'canceled') {
      await api.cancel(session.id);
      expect(billedOf(await api.job(session.id))).toBe(3);
    } else await api.delete(session.id);
    expect(await client.closed).toMatchObject({ code: 4410 });
    await eventually('the ledger to have it', async () => (await usedBy(api)) === 3);
    await eventually('the rest to be free again', async () => (await streaming(await create(api), 2)).next('ack', ({ audio_ms: ms }) => ms === 2000));
  });

  it('is never more than the free time of the account, however many are open, and what they are billed for', async () => {
    const api = await parlance.newAccount();
    const sessions = await Promise.all(Array.from({ length: 5 }, () => create(api)));
    const clients = await Promise.all(sessions.map((session) => streaming(session, 4 * FREE_SECONDS)));
    for (const client of clients) expect(await client.closed).toMatchObject({ code: 4429, reason: 'quota_exhausted' });
    const taken = clients.reduce((sum, client) => sum + acknowledged(client), 0);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThanOrEqual(FREE_SECONDS);

    for (const { id } of sessions) await api.request('DELETE', `/live/${id}`);
    const jobs = await Promise.all(sessions.map(({ id }) => api.terminal(id)));
    expect(jobs.map(billedOf)).toEqual(clients.map(acknowledged));
    await eventually('the ledger to have it', async () => (await usedBy(api)) === taken);
  });
});
