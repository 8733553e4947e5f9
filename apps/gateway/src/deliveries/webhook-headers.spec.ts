import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newSecretsKey, SecretBox } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';

const SECRETS_KEY = newSecretsKey();
const headers = { Authorization: 'Bearer hush', 'X-Tenant': 'a b' };
const audio_url = 'https://example.org/a.mp3';
const callback_url = 'https://example.org/hook';

describe('headers for webhooks', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ SECRETS_KEY });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const opened = (sealed: string | undefined, context: string) => JSON.parse(SecretBox.of({ SECRETS_KEY })?.open(sealed ?? '', `${gateway.accountId}/${context}`) ?? 'null');

  it('of an endpoint leave the gateway sealed for it, and only their names are returned', async () => {
    const made = await gateway.call<{ endpoint_id: string }>('POST', '/webhook-endpoints', { json: { url: 'https://example.org/all', headers } });
    expect(made).toMatchObject({ status: 201, body: { header_names: ['Authorization', 'X-Tenant'] } });
    const { endpointId, sealed } = gateway.services.webhooks.sealedHeaders.at(-1)!;
    expect(sealed).not.toContain('hush');
    expect(opened(sealed, endpointId)).toEqual(headers);
    expect(JSON.stringify([made.body, (await gateway.call('GET', '/webhook-endpoints')).body])).not.toContain('hush');
  });

  it('of a callback_url leave the gateway sealed for their job', async () => {
    const { status, body } = await gateway.call<{ job_id: string }>('POST', '/transcriptions', { json: { audio_url, callback_url, callback_headers: headers } });
    expect(status).toBe(202);
    const sent = gateway.services.created.at(-1);
    expect(JSON.stringify(sent)).not.toContain('hush');
    expect(opened(sent?.sealedCallbackHeaders, body.job_id)).toEqual(headers);
    expect(await (await gateway.fetch(`/api/v1/transcriptions/${body.job_id}`)).text()).not.toMatch(/hush|header/i);
  });

  it('may be defaults of a batch, and are sealed for each of its jobs', async () => {
    const before = gateway.services.created.length;
    const batch = await gateway.call<{ batch_id: string }>('POST', '/batches', { json: { items: [{ audio_url }, { audio_url }], defaults: { callback_url, callback_headers: headers } } });
    expect(batch.status).toBe(202);
    await eventually('both jobs', () => gateway.services.created.length === before + 2);
    for (const { jobId, sealedCallbackHeaders } of gateway.services.created.slice(before)) expect(opened(sealedCallbackHeaders, jobId)).toEqual(headers);
  });

  it.each(['Webhook-Signature', 'webhook-id', 'Host', 'Content-Type', 'content-digest', 'Transfer-Encoding', 'User-Agent', 'traceparent'])('are refused when each webhook has them already, or the connection: %s', async (name) => {
    const made = await gateway.call('POST', '/webhook-endpoints', { json: { url: 'https://example.org/all', headers: { [name]: '1' } } });
    expect([made.status, made.body]).toEqual([422, expect.objectContaining({ errors: [expect.objectContaining({ pointer: expect.stringMatching(/^\/headers/) })] })]);
  });

  it('are at most ten, and belong to a callback_url', async () => {
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`X-${index}`, '1']));
    expect((await gateway.call('POST', '/webhook-endpoints', { json: { url: 'https://example.org/all', headers: many } })).status).toBe(422);
    const alone = await gateway.call('POST', '/transcriptions', { json: { audio_url, callback_headers: headers } });
    expect(alone).toMatchObject({ status: 422, body: { errors: [{ pointer: '/callback_headers', code: 'invalid_value' }] } });
  });
});

it('headers for webhooks are not supported without a key to seal them', async () => {
  await using gateway = await GatewayHarness.start();
  const endpoint = await gateway.call('POST', '/webhook-endpoints', { json: { url: 'https://example.org/all', headers } });
  expect(endpoint).toMatchObject({ status: 422, body: { code: 'not_supported', errors: [{ pointer: '/headers' }] } });
  const job = await gateway.call('POST', '/transcriptions', { json: { audio_url, callback_url, callback_headers: headers } });
  expect(job).toMatchObject({ status: 422, body: { code: 'not_supported', errors: [{ pointer: '/callback_headers' }] } });
});
