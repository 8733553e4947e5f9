import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { receivedEvents } from '../../test/event-stream-client.js';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

interface Token {
  token_id: string;
  token: string;
  key_id: string;
  scopes: string[];
  job_id?: string;
  expires_at: string;
}

describe('short-lived tokens', () => {
  let gateway: GatewayHarness;
  let jobId: string;
  const log: string[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start({}, createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } }));
    jobId = await gateway.submit();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const create = async (body: Record<string, unknown> = {}, from = gateway) => {
    const answer = await from.call<Token>('POST', '/tokens', { json: body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const statusWith = async (token: string, path: string, method = 'GET') => (await gateway.as(token).call(method, path)).status;

  it('permit what they say, and nothing that the key could not', async () => {
    const created = await create();
    expect(created).toMatchObject({ token: expect.stringMatching(/^plt_[0-9A-Za-z]{64}$/), scopes: ['transcriptions:read'] });
    expect(Date.parse(created.expires_at) - Date.now()).toBeLessThanOrEqual(600_000);
    expect([await statusWith(created.token, `/transcriptions/${jobId}`), await statusWith(created.token, `/transcriptions/${jobId}`, 'DELETE')]).toEqual([200, 403]);
    const { apiKey } = await gateway.createKey(['search']);
    expect(await gateway.as(apiKey).call('POST', '/tokens', { json: { scopes: ['chat'] } })).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(await gateway.call('POST', '/tokens', { json: { scopes: ['keys'] } })).toMatchObject({ status: 422 });
    expect(await gateway.call('POST', '/tokens', { json: { expires_in: 86_401 } })).toMatchObject({ status: 422 });
  });

  it('bound to a job open nothing else', async () => {
    const other = await gateway.submit();
    const { token } = await create({ job_id: jobId, scopes: ['transcriptions:read', 'transcriptions:write', 'search'] });
    expect(await statusWith(token, `/transcriptions/${jobId}`)).toBe(200);
    for (const [method, path] of [['GET', `/transcriptions/${other}`], ['GET', '/transcriptions'], ['GET', '/search?q=a'], ['GET', '/languages'], ['POST', '/uploads'], ['GET', '/uploads/upl_1']] as const) {
      expect([path, await statusWith(token, path, method)]).toEqual([path, 403]);
    }
    expect(await gateway.call('POST', '/tokens', { json: { job_id: 'job_none' } })).toMatchObject({ status: 404 });
    expect(await gateway.call('POST', '/tokens', { json: { upload_id: 'upl_none' } })).toMatchObject({ status: 404 });
  });

  it('bound to an upload open nothing else', async () => {
    const upload = async () => ((await (await gateway.fetch('/api/v1/uploads', { method: 'POST', body: 'RIFF', headers: { 'content-type': 'audio/wav' } })).json()) as { upload_id: string }).upload_id;
    const [own, other] = [await upload(), await upload()];
    const { token } = await create({ upload_id: own });
    expect([await statusWith(token, `/uploads/${own}`), await statusWith(token, `/uploads/${other}`), await statusWith(token, `/transcriptions/${jobId}`)]).toEqual([200, 403, 403]);
    expect(await gateway.call('POST', '/tokens', { json: { upload_id: own, job_id: jobId } })).toMatchObject({ status: 422 });
  });

  it('bound to an upload send its bytes, and those of no other', async () => {
    const tus = { 'tus-resumable': '1.0.0' };
    const begin = async () => String((await gateway.call('POST', '/uploads', { headers: { ...tus, 'upload-length': '4' } })).headers.get('location')).replace('/api/v1', '');
    const [own, other] = [await begin(), await begin()];
    const { token } = await create({ upload_id: own.split('/').at(-1), scopes: ['transcriptions:read', 'transcriptions:write'] });
    const append = async (path: string) =>
      (await gateway.as(token).call('PATCH', path, { headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }, body: new TextEncoder().encode('RIFF') })).status;
    expect([await append(other), await append(own)]).toEqual([403, 204]);
    expect((await gateway.call('GET', own)).body).toMatchObject({ status: 'completed', received_bytes: 4 });
  });

  it('make no tokens, keys and webhook endpoints, and see no secrets and nothing of the account', async () => {
    const { token, token_id: id } = await create({ scopes: ['transcriptions:read', 'usage', 'webhooks'] });
    for (const [method, path] of [['POST', '/tokens'], ['GET', '/tokens'], ['DELETE', `/tokens/${id}`], ['GET', '/keys'], ['POST', '/keys'], ['GET', '/account'], ['POST', '/webhook-endpoints'], ['GET', '/webhook-secret'], ['POST', '/webhook-secret/rotate']] as const) {
      expect([path, await statusWith(token, path, method)]).toEqual([path, 403]);
    }
  });

  it('end by themselves, when they are revoked, and with their key', async () => {
    const short = await create({ expires_in: 1 });
    await eventually('the end', async () => (await statusWith(short.token, `/transcriptions/${jobId}`)) === 401);
    const revoked = await create();
    expect(await statusWith(revoked.token, `/transcriptions/${jobId}`)).toBe(200);
    expect((await gateway.call('DELETE', `/tokens/${revoked.token_id}`)).status).toBe(204);
    expect([await statusWith(revoked.token, `/transcriptions/${jobId}`), (await gateway.call('DELETE', `/tokens/${revoked.token_id}`)).status]).toEqual([401, 404]);
    const end = new Date(Date.now() + 60_000);
    const key = await gateway.createKey(['transcriptions:read'], end);
    const ofKey = await create({}, gateway.as(key.apiKey));
    expect(ofKey.expires_at).toBe(end.toISOString());
    expect((await gateway.call('DELETE', `/keys/${key.keyId}`)).status).toBe(204);
    expect(await statusWith(ofKey.token, `/transcriptions/${jobId}`)).toBe(401);
    const listed = await gateway.call<{ data: Token[] }>('GET', '/tokens');
    expect(listed.body.data.map(({ token_id: id }) => id)).not.toContain(ofKey.token_id);
  });

  it('are listed without their secrets: a key sees its own, one that manages keys all', async () => {
    const { apiKey, keyId } = await gateway.createKey(['transcriptions:read']);
    const own = await create({ job_id: jobId }, gateway.as(apiKey));
    const { token: _secret, ...listed } = own;
    expect((await gateway.as(apiKey).call<{ data: Token[] }>('GET', '/tokens')).body.data).toEqual([{ ...listed, key_id: keyId }]);
    const all = await gateway.call<{ data: Token[] }>('GET', '/tokens?limit=100');
    expect(all.body.data.map(({ token_id: id }) => id)).toContain(own.token_id);
    expect(JSON.stringify(all.body)).not.toContain('plt_');
    const foreign = await create();
    expect((await gateway.as(apiKey).call('DELETE', `/tokens/${foreign.token_id}`)).status).toBe(404);
  });

  describe('in the URL of an event stream', () => {
    const events = (query: string, headers: Record<string, string> = {}) => fetch(`${gateway.url}/api/v1/transcriptions/${jobId}/events?${query}`, { headers });

    it('are taken as in a header, and resume where last_event_id says', async () => {
      const { token } = await create({ job_id: jobId });
      gateway.services.change(jobId, completed);
      const all = await allOf(receivedEvents(await events(`access_token=${token}`)));
      expect(all.at(-1)).toMatchObject({ event: 'done' });
      expect((await events(`access_token=${token}&last_event_id=${all.at(-1)?.id}`)).status).toBe(204);
      const resumed = await allOf(receivedEvents(await events(`access_token=${token}&last_event_id=${all.at(-1)?.id}`, { 'last-event-id': all[0]?.id ?? '' })));
      expect(resumed.length).toBeGreaterThan(0);
    });

    it('are not taken elsewhere, and keys never', async () => {
      const { token } = await create();
      const elsewhere = await fetch(`${gateway.url}/api/v1/transcriptions/${jobId}?access_token=${token}`);
      expect([elsewhere.status, (await events(`access_token=${gateway.apiKey}`)).status, (await events('access_token=plt_wrong')).status]).toEqual([401, 401, 401]);
    });

    it('do not reach the log', async () => {
      const { token } = await create({ job_id: jobId });
      await (await events(`access_token=${token}`)).text();
      await (await events(`access_token=${token}x`)).text();
      const lines = log.filter((line) => line.includes('/events'));
      expect(lines.length).toBeGreaterThanOrEqual(2);
      expect(log.join('')).not.toContain(token);
    });
  });
});
