import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, MediaServer, SAMPLES, saysNothing, SpeechServer, startParlance, WebhookReceiver, type Parlance } from '@parlance/testing';
import { compactDecrypt, exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';

const SPOKEN = 'Xanthippe sold the northern warehouse to Ermintrude for 40 dollars in March.';

interface Opened {
  job_id: string;
  transcript: { text: string; segments: { words: object[] }[]; speakers: object[] };
  summary: { text: string };
  highlights: object;
  exports: Record<string, string>;
}

interface KeyPair {
  privateKey: CryptoKey;
  publicJwk: JWK;
}

async function keyPair(alg: string, options: { crv?: string; modulusLength?: number } = {}): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true, ...options });
  return { privateKey, publicJwk: await exportJWK(publicKey) };
}

const open = async (jwe: string, { privateKey }: KeyPair) => JSON.parse(new TextDecoder().decode((await compactDecrypt(jwe, privateKey)).plaintext)) as Opened;

describe('a job with a result_key', () => {
  let parlance: Parlance;
  let server: SpeechServer;
  beforeAll(async () => {
    server = await SpeechServer.start(() => SPOKEN);
    parlance = await startParlance({ env: { SPEECH_ENGINE_URL: server.url } });
  });
  afterAll(async () => {
    await parlance.dispose();
    await server[Symbol.asyncDispose]();
  });

  const upload = ({ publicJwk }: KeyPair, fields: Record<string, string> = {}) => parlance.api.upload(SAMPLES.reading.path, { result_key: JSON.stringify(publicJwk), ...fields });
  const get = (path: string) => parlance.api.request('GET', path);
  const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
  const sealedOf = async (jobId: string) => {
    const response = await get(`/transcriptions/${jobId}/sealed`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jose']);
    return response.text();
  };

  it.each([
    ['X25519', 'ECDH-ES+A256KW', { crv: 'X25519' }],
    ['P-256', 'ECDH-ES+A256KW', { crv: 'P-256' }],
    ['RSA', 'RSA-OAEP-256', { modulusLength: 2048 }],
  ])('gives its results to the holder of the private key alone, by %s', async (_kind, alg, options) => {
    const key = await keyPair(alg, options);
    const jobId = await upload(key);
    expect(await parlance.api.terminal(jobId)).toMatchObject({ status: 'completed', warnings: [], stages: { sealing: { status: 'completed' }, search: { status: 'skipped' } } });
    const jwe = await sealedOf(jobId);
    const opened = await open(jwe, key);
    expect(opened).toMatchObject({ job_id: jobId, transcript: { text: expect.stringContaining('Xanthippe') }, summary: { text: expect.stringMatching(/./) }, highlights: { job_id: jobId } });
    expect(opened.transcript.segments[0]?.words.length).toBeGreaterThan(3);
    expect(opened.exports).toEqual({ txt: expect.stringContaining('Xanthippe'), srt: expect.stringContaining(' --> '), vtt: expect.stringContaining('WEBVTT') });
    await expect(open(jwe, await keyPair(alg, options))).rejects.toThrow();
  });

  it('never shows its text or recording, from its first moment on, and refuses what would need them', async () => {
    const key = await keyPair('ECDH-ES+A256KW', { crv: 'X25519' });
    const jobId = await upload(key);
    const waited = parlance.api.json<{ status: string }>(`/transcriptions/${jobId}?wait=60&wait_for=transcript`);
    const paths = ['/transcript', '/export/txt', '/summary', '/highlights', '/media', '/speakers', '/paragraphs', '/waveform', '?include=words', '/segments/seg_000001'];
    const answers = new Set<string>();
    const found: object[] = [];
    await eventually('the job to end', async () => {
      found.push(...(await parlance.api.json<{ data: object[] }>('/search?q=Xanthippe')).data);
      for (const path of paths) answers.add((await codeOf(await get(`/transcriptions/${jobId}${path}`))).join(' '));
      return ((await (await get(`/transcriptions/${jobId}`)).json()) as { status: string }).status === 'completed';
    });
    expect([...answers]).toEqual(['409 sealed']);
    expect((await waited).status).toBe('completed');
    const job = await parlance.api.job(jobId);
    expect(JSON.stringify(job)).not.toContain('Xanthippe');
    expect(job).not.toHaveProperty('transcript');
    const orders: [string, object][] = [['/chat', { message: 'Who sold it?' }], ['/retry', {}], ['/add-ons', { chapters: true }], ['/summaries', {}], ['/links', { what: 'transcript' }]];
    for (const [path, body] of orders) expect([path, ...(await codeOf(await parlance.api.post(`/transcriptions/${jobId}${path}`, body)))]).toEqual([path, 409, 'sealed']);
    const patch = (path: string, body: object) => parlance.api.request('PATCH', `/transcriptions/${jobId}${path}`, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const speaker = await patch('/speakers/S1', { name: 'Ada' });
    expect(await codeOf(speaker)).toEqual([409, 'sealed']);
    expect(found).toEqual([]);
    const events: (string | undefined)[] = [];
    for await (const { event } of parlance.api.events(jobId)) events.push(event);
    expect(events).toContain('done');
    expect(events).not.toContain('transcript.segment');
    expect((await patch('', { title: 'Sale' })).status).toBe(200);
    expect(await open(await sealedOf(jobId), key)).toMatchObject({ job_id: jobId });
  });

  it('has webhooks whose content is the JWE', async () => {
    await using receiver = await WebhookReceiver.start();
    const key = await keyPair('RSA-OAEP-256', { modulusLength: 2048 });
    const jobId = await upload(key, { callback_url: receiver.url, callback_include: '["transcript","summary"]' });
    await parlance.api.terminal(jobId);
    const last = await eventually('the webhook of the end', () => Promise.resolve(receiver.of(jobId).find(({ body }) => body.type === 'transcription.completed')));
    for (const { raw } of receiver.of(jobId)) expect(raw).not.toContain('Xanthippe');
    expect(last.body.data).toMatchObject({ sealed: true });
    expect(await open((last.body.data as unknown as { sealed_result: string }).sealed_result, key)).toMatchObject({ job_id: jobId, summary: { text: expect.stringMatching(/./) } });
  });

  it('is sealed with what there is when a stage failed, and keeps nothing when it was canceled', async () => {
    const key = await keyPair('ECDH-ES+A256KW', { crv: 'X25519' });
    const jobId = await upload(key, { summary: 'false', highlights: 'false' });
    await parlance.api.terminal(jobId);
    const opened = await open(await sealedOf(jobId), key);
    expect([opened.summary, opened.highlights]).toEqual([undefined, undefined]);

    await using media = await MediaServer.start();
    const canceled = await parlance.api.submit({ audio_url: media.at('/reading.flac', saysNothing), result_key: key.publicJwk });
    expect((await parlance.api.cancel(canceled)).status).toBe(202);
    expect(await codeOf(await get(`/transcriptions/${canceled}/sealed`))).toEqual([409, 'invalid_state']);
    expect(await codeOf(await parlance.api.post(`/transcriptions/${canceled}/retry`, {}))).toEqual([409, 'sealed']);
  });

  it('can be deleted, with a receipt', async () => {
    const jobId = await upload(await keyPair('ECDH-ES+A256KW', { crv: 'X25519' }));
    await parlance.api.terminal(jobId);
    const { erasure_id: id } = (await (await parlance.api.request('DELETE', `/transcriptions/${jobId}`)).json()) as { erasure_id: string };
    await eventually('the receipt to be complete', async () => ((await parlance.api.json<{ status: string }>(`/erasures/${id}`)).status === 'completed'));
    expect((await get(`/transcriptions/${jobId}/sealed`)).status).toBe(404);
  });

  it('is refused at the door when the key is of a wrong kind', async () => {
    const x25519 = (await keyPair('ECDH-ES+A256KW', { crv: 'X25519' })).publicJwk;
    const rsa = (await keyPair('RSA-OAEP-256', { modulusLength: 2048 })).publicJwk;
    const wrong: Record<string, object> = {
      'a signing key': { kty: 'OKP', crv: 'Ed25519', x: x25519.x },
      'another curve': { ...(await keyPair('ECDH-ES+A256KW', { crv: 'P-384' })).publicJwk },
      'a symmetric key': { kty: 'oct', k: 'c2VjcmV0' },
      'a private key': { ...x25519, d: x25519.x },
      'a short RSA key': { kty: 'RSA', n: rsa.n?.slice(0, 172), e: 'AQAB' },
      'a key for signatures': { ...rsa, use: 'sig' },
      'another algorithm': { ...rsa, alg: 'RSA1_5' },
      'a point of small order': { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43) },
      'no key': {},
    };
    for (const [what, jwk] of Object.entries(wrong)) {
      const response = await parlance.api.tryUpload(SAMPLES.reading.path, { result_key: JSON.stringify(jwk) });
      expect([what, ...(await codeOf(response))]).toEqual([what, 422, 'result_key_unsupported']);
    }
    expect(await codeOf(await parlance.api.post('/live', { result_key: x25519 }))).toEqual([422, 'not_supported']);
  });
});
