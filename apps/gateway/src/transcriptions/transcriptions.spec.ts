import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

describe('transcription jobs', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('are accepted by URL and read again', async () => {
    const created = await gateway.call('POST', '/transcriptions', {
      json: { audio_url: 'https://example.org/a.mp3', language: 'EN-us', callback_url: 'https://example.org/hook', metadata: { project: 'apollo' } },
    });
    expect(created.status).toBe(202);
    const { job_id: jobId } = created.body as { job_id: string };
    expect(created.headers.get('location')).toBe(`/api/v1/transcriptions/${jobId}`);
    const job = await gateway.call('GET', `/transcriptions/${jobId}`);
    expect(job.status).toBe(200);
    expect(job.body).toMatchObject({ job_id: jobId, status: 'queued', language: { requested: 'en-US' }, metadata: { project: 'apollo' } });
    expect(job.body).not.toHaveProperty('transcript');
  });

  it('of another account are not found', async () => {
    const jobId = await gateway.submit();
    const { apiKey } = await gateway.createAccount();
    const answer = await gateway.call('GET', `/transcriptions/${jobId}`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
