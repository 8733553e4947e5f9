import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newSecretsKey, SecretBox } from '@parlance/platform';
import { GatewayHarness } from '../../test/gateway-harness.js';

const SECRETS_KEY = newSecretsKey();
const audio_url = 'https://example.org/a.mp3';

describe('the headers for a fetch', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ SECRETS_KEY });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const create = (json: object) => gateway.call<{ job_id: string; code: string }>('POST', '/transcriptions', { json });

  it('leave the gateway sealed for their job, and are not part of it', async () => {
    const { status, body } = await create({ audio_url, audio_headers: { Authorization: 'Bearer secret', 'X-Tenant': 'a b' } });
    expect(status).toBe(202);
    const sent = gateway.services.created.at(-1);
    expect(JSON.stringify(sent)).not.toContain('secret');
    expect(JSON.parse(SecretBox.of({ SECRETS_KEY })?.open(sent?.sealedAudioHeaders ?? '', `${gateway.accountId}/${body.job_id}`) ?? '')).toEqual({ Authorization: 'Bearer secret', 'X-Tenant': 'a b' });
    expect(await (await gateway.fetch(`/api/v1/transcriptions/${body.job_id}`)).text()).not.toMatch(/secret|header/i);
  });

  it('may come in a form, as JSON', async () => {
    const form = new FormData();
    form.append('audio_url', audio_url);
    form.append('audio_headers', '{"X-Key":"1"}');
    expect((await gateway.call('POST', '/transcriptions', { body: form })).status).toBe(202);
    expect(gateway.services.created.at(-1)?.sealedAudioHeaders).toMatch(/^v1\./);
  });

  it.each<[string, Record<string, string>]>([
    ['Host', { Host: 'other.example' }],
    ['of the connection', { 'Transfer-Encoding': 'chunked' }],
    ['of a proxy', { 'Proxy-Authorization': 'Basic YTpi' }],
    ['set by the fetch', { Range: 'bytes=0-' }],
    ['with a name that is no token', { 'X Key': '1' }],
    ['with a line break', { 'X-Key': 'a\r\nHost: b' }],
    ['with blanks around', { 'X-Key': ' a' }],
    ['given twice', { 'X-Key': '1', 'x-key': '2' }],
    ['too many', Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`X-${index}`, '1']))],
    ['too long together', { 'X-1': 'x'.repeat(4096), 'X-2': 'x'.repeat(4096) }],
  ])('are refused when one is not allowed: %s', async (_, audio_headers) => {
    const { status, body } = await create({ audio_url, audio_headers });
    expect([status, body]).toEqual([422, expect.objectContaining({ errors: [expect.objectContaining({ pointer: expect.stringMatching(/^\/audio_headers/) })] })]);
  });

  it('belong to a URL', async () => {
    expect(await create({ upload_id: 'upl_1', audio_headers: { 'X-Key': '1' } })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/audio_headers', code: 'invalid_value' }] } });
  });
});

it('headers for a fetch are not supported without a key to seal them', async () => {
  await using gateway = await GatewayHarness.start();
  const answer = await gateway.call('POST', '/transcriptions', { json: { audio_url, audio_headers: { 'X-Key': '1' } } });
  expect(answer).toMatchObject({ status: 422, body: { code: 'not_supported', errors: [{ pointer: '/audio_headers' }] } });
});
