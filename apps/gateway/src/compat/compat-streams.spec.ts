import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

describe('a request of another vendor’s client beyond the streams of its key', () => {
  let gateway: GatewayHarness;
  const end = new AbortController();
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ STREAMS_PER_KEY: '1' });
    const jobId = await gateway.submit();
    await gateway.fetch(`/api/v1/transcriptions/${jobId}/events`, { signal: end.signal });
  });
  afterAll(async () => {
    end.abort();
    await gateway[Symbol.asyncDispose]();
  });

  it.each([
    ['/v1/audio/transcriptions', 'file'],
    ['/compat/deepgram/v1/listen', undefined],
    ['/compat/asr/asr', 'audio_file'],
    ['/compat/asr/detect-language', 'audio_file'],
  ])('to %s is refused before its file is a job', async (path, field) => {
    const before = gateway.services.created.length;
    const file = new Blob([Buffer.from('audio')]);
    const form = new FormData();
    form.append(field ?? '', file, 'a.wav');
    const response = await gateway.fetch(path, { method: 'POST', body: field === undefined ? file : form });
    expect([response.status, response.headers.get('retry-after'), gateway.services.created.length]).toEqual([429, '60', before]);
  });
});
