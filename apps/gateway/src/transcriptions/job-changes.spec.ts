import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { jobOptionsSchema } from './asked-options.js';
import { uploadOptionsSchema } from './job-options-schema.js';

describe('the options of a job', () => {
  it('are shown in full: each option of a creation is one of the job, or a member of the job itself', () => {
    const members = ['callback_url', 'callback_headers', 'callback_include', 'metadata', 'result_key', 'title', 'recorded_at', 'priority'];
    expect(Object.keys(jobOptionsSchema.shape).toSorted()).toEqual(Object.keys(uploadOptionsSchema.shape).filter((name) => !members.includes(name)).toSorted());
  });
});

describe('changes of a job', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ PUBLIC_URL: 'https://api.example.org' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const change = (jobId: string, json: unknown, headers: Record<string, string> = {}) => gateway.call('PATCH', `/transcriptions/${jobId}`, { json, headers });

  it('answer with the job, its tag and URLs', async () => {
    const jobId = await gateway.submit();
    const changed = await change(jobId, { title: 'Weekly planning' });
    expect(changed).toMatchObject({ status: 200, body: { job_id: jobId, title: 'Weekly planning', links: { self: `https://api.example.org/api/v1/transcriptions/${jobId}` } } });
    expect(changed.headers.get('etag')).toBe('W/"2"');
  });

  it('set what they name, remove what is null, and leave the rest', async () => {
    const jobId = await gateway.submit();
    await change(jobId, { title: null, metadata: null, recorded_at: '2026-03-01', callback_url: 'https://example.org/other', callback_include: ['transcript'], media_retention_hours: 24 });
    expect(gateway.services.updates.at(-1)).toMatchObject({
      jobId,
      title: { value: undefined },
      metadata: { pairs: {} },
      recordedAt: { value: new Date('2026-03-01T00:00:00Z') },
      callbackUrl: { value: 'https://example.org/other' },
      callbackInclude: { names: ['transcript'] },
      mediaRetentionHours: { value: 24 },
      retentionHours: undefined,
    });
  });

  it.each([
    ['an unknown field', { title: 'x', titel: 'x' }, '/titel', 'unknown_field'],
    ['a long title', { title: 'x'.repeat(201) }, '/title', 'too_long'],
    ['a blank title', { title: ' ' }, '/title', 'too_short'],
    ['a title of two lines', { title: 'a\nb' }, '/title', 'invalid_format'],
    ['an address of this network', { callback_url: 'http://10.0.0.1/hook' }, '/callback_url', 'address_forbidden'],
    ['a time that is none', { recorded_at: 'yesterday' }, '/recorded_at', 'invalid_format'],
    ['too many hours', { retention_hours: 87_601 }, '/retention_hours', 'too_large'],
    ['an unknown content', { callback_include: ['audio'] }, '/callback_include/0', 'invalid_value'],
    ['nothing', {}, '', 'invalid_value'],
  ])('are refused with %s', async (_what, json, pointer, code) => {
    const refused = await change(await gateway.submit(), json);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
  });

  it('add contents to webhooks that have a receiver, and a creation without one is refused', async () => {
    const receiver = { callback_url: 'https://example.org/hook' };
    const create = (json: object) => gateway.call<{ job_id: string }>('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3', callback_include: ['transcript'], ...json } });
    expect(await create({})).toMatchObject({ status: 422, body: { errors: [{ pointer: '/callback_include', code: 'invalid_value' }] } });
    const { body } = await create(receiver);
    expect(await gateway.call('GET', `/transcriptions/${body.job_id}`)).toMatchObject({ body: { ...receiver, callback_include: ['transcript'] } });
    await change(body.job_id, { callback_include: null });
    expect(gateway.services.updates.at(-1)).toMatchObject({ callbackInclude: { names: [] } });
  });

  it('are refused when the job is another than the one that was read, whatever representation that was', async () => {
    const jobId = await gateway.submit();
    const { headers } = await gateway.call('GET', `/transcriptions/${jobId}?include=none`);
    const etag = headers.get('etag') ?? '';
    expect((await change(jobId, { title: 'First' }, { 'if-match': etag })).status).toBe(200);
    expect(await change(jobId, { title: 'Second' }, { 'if-match': etag })).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
  });
});
