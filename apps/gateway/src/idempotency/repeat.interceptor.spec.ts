import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import { GatewayHarness, type Answer } from '../../test/gateway-harness.js';
import { ROUTE_TABLE } from '../docs/route-table.js';
import { repeatsOf } from '../http/operation.js';

describe('a repeated call with an Idempotency-Key', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const post = (path: string, key: string, json?: unknown, from = gateway) => from.call('POST', path, { ...(json !== undefined && { json }), headers: { authorization: `Bearer ${from.apiKey}`, 'idempotency-key': key } });
  const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed');

  it('of any POST gets the first response and does nothing twice', async () => {
    const jobId = await gateway.submit();
    const path = `/transcriptions/${jobId}/summaries`;
    const before = gateway.services.ordered.length;
    const first = await post(path, 's-1', { format: 'minutes' });
    const again = await post(path, 's-1', { format: 'minutes' });
    expect([first.status, replayed(first)]).toEqual([202, null]);
    expect([again.status, replayed(again), again.headers.get('location')]).toEqual([202, 'true', first.headers.get('location')]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(gateway.services.ordered.length).toBe(before + 1);
    expect(await post(path, 's-1', { format: 'brief' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
  });

  it('belongs to its method and path, and to its account', async () => {
    const [one, other] = [await gateway.submit(), await gateway.submit()];
    const first = await post(`/transcriptions/${one}/summaries`, 'shared', {});
    const second = await post(`/transcriptions/${other}/summaries`, 'shared', {});
    expect([second.status, replayed(second)]).toEqual([202, null]);
    expect(second.body).not.toEqual(first.body);
    const { apiKey } = await gateway.createAccount();
    expect(await post(`/transcriptions/${one}/summaries`, 'shared', {}, gateway.as(apiKey))).toMatchObject({ status: 404 });
  });

  it('at the same time is performed once', async () => {
    const jobId = await gateway.submit();
    const before = gateway.services.ordered.length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(`/transcriptions/${jobId}/summaries`, 'at-once', {})));
    expect(gateway.services.ordered.length).toBe(before + 1);
    for (const { status, body } of answers) expect(status === 202 || body['code'] === 'idempotency_in_flight').toBe(true);
    expect((await post(`/transcriptions/${jobId}/summaries`, 'at-once', {})).status).toBe(202);
  });

  it('that was refused leaves the key unused', async () => {
    const jobId = await gateway.submit();
    expect((await post(`/transcriptions/${jobId}/summaries`, 'refused', { format: 'novel' })).status).toBe(422);
    expect((await post(`/transcriptions/${jobId}/summaries`, 'refused', { format: 'brief' })).status).toBe(202);
  });

  it('gets a new API key again, but only with the API key that made it', async () => {
    const first = await post('/keys', 'key-1', { name: 'ci' });
    const again = await post('/keys', 'key-1', { name: 'ci' });
    expect([first.status, again.status, replayed(again), again.headers.get('cache-control')]).toEqual([201, 201, 'true', 'no-store']);
    expect(again.body).toEqual(first.body);
    const other = gateway.as(String(first.body['api_key']));
    expect(await post('/keys', 'key-1', { name: 'ci' }, other)).toMatchObject({ status: 409, body: { code: 'invalid_state', reason: 'secret_shown_once' } });
  });

  it('gets a streamed answer of the chat again as it was', async () => {
    const ask = async () => {
      const response = await gateway.fetch('/api/v1/chat', { method: 'POST', body: '{"message":"What was decided?"}', headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'idempotency-key': 'chat-1' } });
      return { text: await response.text(), type: response.headers.get('content-type'), replayed: response.headers.get('idempotency-replayed') };
    };
    const before = gateway.services.asked.length;
    const first = await ask();
    expect(first.text).toContain('event: done');
    expect(await ask()).toEqual({ ...first, replayed: 'true' });
    expect(gateway.services.asked.length).toBe(before + 1);
  });

  it('of an upload reads the file and stores nothing of it', async () => {
    const upload = async (bytes: string) => {
      const response = await gateway.fetch('/api/v1/uploads?file_name=a.mp3', { method: 'POST', body: bytes, headers: { 'content-type': 'audio/mpeg', 'idempotency-key': 'upload-1' } });
      return { status: response.status, replayed: response.headers.get('idempotency-replayed'), body: (await response.json()) as Record<string, unknown> };
    };
    const first = await upload('x'.repeat(300_000));
    expect([first.status, first.replayed]).toEqual([201, null]);
    expect(await upload('x'.repeat(300_000))).toEqual({ ...first, replayed: 'true' });
    expect((await gateway.call<{ data: unknown[] }>('GET', '/uploads')).body.data).toHaveLength(1);
    expect(await upload('x')).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
  });

  it('of a resumable upload is for one size of its file', async () => {
    const begin = async (length: number) => {
      const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(length), 'idempotency-key': 'tus-1' };
      const { status, headers: answered } = await gateway.fetch('/api/v1/uploads', { method: 'POST', headers });
      return { status, location: answered.get('location') };
    };
    const first = await begin(1000);
    expect(first).toEqual({ status: 201, location: expect.stringContaining('/api/v1/uploads/upl_') });
    expect(await begin(1000)).toEqual(first);
    expect((await begin(2000)).status).toBe(422);
  });

  it('gets nothing of a job that was deleted', async () => {
    const jobId = await gateway.submit();
    await post(`/transcriptions/${jobId}/summaries`, 'erased', {});
    await gateway.process.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ jobId, accountId: gateway.accountId, erasureId: 'era_1', occurredAt: new Date(0) }) });
    await eventually('the erasure', async () => (await post(`/transcriptions/${jobId}/summaries`, 'erased', {})).body['reason'] === 'job_erased');
  });

  it.each(['', 'x'.repeat(256), 'é'])('is refused with the key %j', async (key) => {
    expect(await post('/keys', key, { name: 'ci' })).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });

  it('keeps every response with a secret sealed', () => {
    const sealed = ROUTE_TABLE.filter((operation) => repeatsOf(operation).secret).map(({ id }) => id);
    expect(sealed.toSorted()).toEqual(['createKey', 'createLink', 'createLiveToken', 'createToken', 'createWebhookEndpoint', 'rotateKey', 'rotateWebhookEndpointSecret', 'rotateWebhookSecret']);
  });

  it('is possible at every POST but the sign-up, and the export, which makes nothing', () => {
    const never = ROUTE_TABLE.filter((operation) => operation.method === 'POST' && repeatsOf(operation).by === 'never').map(({ id }) => id);
    expect(never).toEqual(['createExport', 'signUp', 'verifySignup']);
  });
});
