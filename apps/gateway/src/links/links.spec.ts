import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events, transcription, transcripts } from '@parlance/contracts';
import { createLogger } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';
import { MAX_LINKS_PER_JOB } from './share-links.js';

interface Link {
  link_id: string;
  url: string;
  what: string;
  format?: string;
  expires_at: string;
}

const ORIGIN = 'https://app.example.org';
const RECORDING = new TextEncoder().encode('RIFF-0123456789');

describe('links to contents of a job', () => {
  let gateway: GatewayHarness;
  let jobId: string;
  const log: string[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ CORS_ORIGINS: ORIGIN }, createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } }));
    jobId = await newJob();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** A completed job with a recording and a transcript. */
  const newJob = async (): Promise<string> => {
    const form = new FormData();
    form.set('file', new Blob([RECORDING], { type: 'audio/wav' }), 'call.wav');
    const { job_id: id } = (await (await gateway.fetch('/api/v1/transcriptions', { method: 'POST', body: form })).json()) as { job_id: string };
    const segments = [transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: 'one' })];
    gateway.services.transcripts.set(id, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [segments] });
    gateway.services.change(id, (job) => ({ ...completed(job), media: common.Media.fromPartial({ format: 'wav', sha256: 'a1' }) }));
    return id;
  };
  const create = async (body: Record<string, unknown>, of = jobId, from = gateway): Promise<Link> => {
    const answer = await from.call<Link>('POST', `/transcriptions/${of}/links`, { json: body });
    expect(answer).toMatchObject({ status: 201, body: { url: expect.stringMatching(/\/api\/v1\/links\/pll_[0-9A-Za-z]{64}$/) } });
    return answer.body;
  };
  /** Without a key. */
  const open = ({ url }: Link, init: RequestInit = {}) => fetch(url, init);
  const statusOf = async (link: Link) => (await open(link)).status;

  it('open exactly that content without a key, for browsers to show or to save', async () => {
    const [transcript, media, exported] = [await create({ what: 'transcript', format: 'vtt' }), await create({ what: 'media' }), await create({ what: 'export', format: 'txt' })];
    const answers = await Promise.all([transcript, media, exported].map((link) => open(link, { headers: { origin: ORIGIN } })));
    expect(answers.map(({ status, headers }) => [status, headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]])).toEqual([
      [200, 'text/vtt; charset=utf-8', 'inline'],
      [200, 'audio/wav', 'inline'],
      [200, 'application/octet-stream', 'attachment'],
    ]);
    for (const { headers } of answers) {
      expect([headers.get('cache-control'), headers.get('referrer-policy'), headers.get('access-control-allow-origin')]).toEqual(['private, no-store', 'no-referrer', ORIGIN]);
      expect([headers.get('content-security-policy'), headers.get('cross-origin-resource-policy')]).toEqual(["sandbox allow-same-origin; default-src 'none'; media-src 'self'", 'cross-origin']);
    }
    expect(Buffer.from((await answers[1]?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(Buffer.from(RECORDING));
    expect(await create({ what: 'transcript' })).toMatchObject({ format: 'json' });
  });

  it('send a recording by ranges and its head alone, and take no other method', async () => {
    const link = await create({ what: 'media' });
    const part = await open(link, { headers: { range: 'bytes=5-8' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 5-8/15', '0123']);
    expect((await open(link, { headers: { range: 'bytes=15-' } })).status).toBe(416);
    const head = await open(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '15', '']);
    const other = await open(link, { method: 'DELETE' });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('say why media is gone: after a failure no retention has ended', async () => {
    const other = await newJob();
    const link = await create({ what: 'media' }, other);
    gateway.services.change(other, (job) => ({ ...job, mediaRemoved: true }));
    const ended = await open(link);
    expect([ended.status, await ended.json()]).toEqual([410, expect.objectContaining({ code: 'media_gone', detail: expect.stringContaining('retention') })]);
    gateway.services.change(other, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED }));
    expect(await (await open(link)).json()).toMatchObject({ code: 'media_gone', detail: expect.stringContaining('could not be transcribed') });
  });

  it('end when they expire, when they are revoked, and with the key that created them', async () => {
    const short = await create({ what: 'media', expires_in: 1 });
    await eventually('the end', async () => (await statusOf(short)) === 404);
    const revoked = await create({ what: 'media' });
    expect(await statusOf(revoked)).toBe(200);
    expect((await gateway.call('DELETE', `/transcriptions/${jobId}/links/${revoked.link_id}`)).status).toBe(204);
    expect([await statusOf(revoked), (await gateway.call('DELETE', `/transcriptions/${jobId}/links/${revoked.link_id}`)).status]).toEqual([404, 404]);
    const end = new Date(Date.now() + 60_000);
    const key = await gateway.createKey(['transcriptions:read', 'transcriptions:write'], end);
    const ofKey = await create({ what: 'media' }, jobId, gateway.as(key.apiKey));
    expect([ofKey.expires_at, await statusOf(ofKey)]).toEqual([end.toISOString(), 200]);
    expect((await gateway.call('DELETE', `/keys/${key.keyId}`)).status).toBe(204);
    expect(await statusOf(ofKey)).toBe(404);
  });

  it('open whatever parameters others add to their URLs', async () => {
    const link = await create({ what: 'transcript', format: 'txt' });
    expect(await statusOf({ ...link, url: `${link.url}?utm_source=mail&utm_source=x` })).toBe(200);
  });

  it('are created for contents that are still being made, and refused for those that the job will not have', async () => {
    const other = await newJob();
    const refused = async (json: object) => (await gateway.call<{ code: string; reason?: string }>('POST', `/transcriptions/${other}/links`, { json })).body;
    expect(await refused({ what: 'export', format: 'chapters.vtt' })).toMatchObject({ code: 'invalid_state', reason: 'not_requested' });
    gateway.services.change(other, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED, stages: [], mediaRemoved: true }));
    expect(await refused({ what: 'transcript' })).toMatchObject({ code: 'invalid_state', reason: 'no_transcript' });
    expect(await refused({ what: 'media' })).toMatchObject({ code: 'media_gone' });
    gateway.services.change(other, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_PROCESSING }));
    gateway.services.transcripts.delete(other);
    const early = await create({ what: 'transcript' }, other);
    expect(await (await open(early)).json()).toMatchObject({ code: 'invalid_state', reason: 'not_ready' });
  });

  it('are erased with the job, and counted in the receipt', async () => {
    const other = await newJob();
    const link = await create({ what: 'transcript' }, other);
    await gateway.process.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ jobId: other, accountId: gateway.accountId, erasureId: 'era_links', occurredAt: new Date(0) }) });
    const report = await eventually('the report', () => gateway.process.heard.find(({ type, key }) => type === 'erasure.reported' && key === other));
    expect(report.data).toMatchObject({ where: 'gateway', count: 1 });
    expect(await statusOf(link)).toBe(404);
    expect(await gateway.call('POST', `/transcriptions/${other}/links`, { json: { what: 'media' } })).toMatchObject({ status: 404 });
  });

  it('are listed without their URLs, and belong to the account and the job', async () => {
    const own = await newJob();
    const link = await create({ what: 'export', format: 'srt' }, own);
    const { url: _url, ...listed } = link;
    expect((await gateway.call('GET', `/transcriptions/${own}/links`)).body).toEqual({ data: [listed], next_cursor: null });
    const stranger = gateway.as((await gateway.createAccount()).apiKey);
    for (const [method, path] of [['GET', ''], ['POST', ''], ['DELETE', `/${link.link_id}`]] as const) {
      expect([method, (await stranger.call(method, `/transcriptions/${own}/links${path}`, { ...(method === 'POST' && { json: { what: 'media' } }) })).status]).toEqual([method, 404]);
    }
    expect((await gateway.call('DELETE', `/transcriptions/${jobId}/links/${link.link_id}`)).status).toBe(404);
    expect(await statusOf(link)).toBe(200);
  });

  it('are created by keys that may read the job and change it, never by tokens, and within limits', async () => {
    const path = `/transcriptions/${jobId}/links`;
    const { body: token } = await gateway.call<{ token: string }>('POST', '/tokens', { json: { scopes: ['transcriptions:read', 'transcriptions:write'] } });
    const [reader, writer] = [await gateway.createKey(['transcriptions:read']), await gateway.createKey(['transcriptions:write'])];
    for (const key of [token.token, reader.apiKey, writer.apiKey]) expect(await gateway.as(key).call('POST', path, { json: { what: 'media' } })).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    for (const json of [{ what: 'audio' }, { what: 'media', format: 'txt' }, { what: 'export' }, { what: 'transcript', format: 'chapters.vtt' }, { what: 'media', expires_in: 31 * 86_400 }, { what: 'media', days: 1 }]) {
      expect([json, (await gateway.call('POST', path, { json })).status]).toEqual([json, 422]);
    }
    const full = await newJob();
    const createIn = (id: string) => gateway.call('POST', `/transcriptions/${id}/links`, { json: { what: 'media' } });
    const refusal = { status: 409, body: { code: 'invalid_state', reason: 'limit_reached' } };
    for (let created = 0; created < MAX_LINKS_PER_JOB - 3; created++) expect((await createIn(full)).status).toBe(201);
    // Each of them counts itself and the others before it, so none passes the limit; some may give way although there was room.
    const answers = await Promise.all(Array.from({ length: 12 }, () => createIn(full)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThanOrEqual(9);
    for (const answer of refused) expect(answer).toMatchObject(refusal);
    for (let left = 3 - (answers.length - refused.length); left > 0; left--) expect((await createIn(full)).status).toBe(201);
    expect(await createIn(full)).toMatchObject(refusal);
  });

  it('have the rate limit of a key, and leave the keys of the account theirs', async () => {
    await using limited = await GatewayHarness.start({ RATE_LIMIT_PER_MINUTE: '4', ACCOUNT_RATE_LIMIT_PER_MINUTE: '100' });
    const { body } = await limited.call<Link>('POST', `/transcriptions/${await limited.submit()}/links`, { json: { what: 'transcript' } });
    const statuses = await Promise.all(Array.from({ length: 6 }, () => statusOf(body)));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect((await limited.call('GET', '/transcriptions')).status).toBe(200);
  });

  it('are limited by address when they are wrong, apart from keys, and say nothing of why', async () => {
    await using guarded = await GatewayHarness.start({ WRONG_KEYS_PER_MINUTE: '2' });
    const { body } = await guarded.call<Link>('POST', `/transcriptions/${await guarded.submit()}/links`, { json: { what: 'transcript' } });
    const wrong = { ...body, url: `${body.url.slice(0, -1)}-` };
    const answer = await open(wrong);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'not_found', instance: '/api/v1/links' })]);
    expect([await statusOf(wrong), await statusOf(wrong)]).toEqual([404, 429]);
    expect(await statusOf(body)).toBe(409);
    expect((await guarded.as('pl_wrong').call('GET', '/transcriptions')).status).toBe(401);
    expect((await guarded.call('GET', '/transcriptions')).status).toBe(200);
  });

  it('leave no secret in the log, and none in the problem of a refusal', async () => {
    const link = await create({ what: 'media' });
    await gateway.call('DELETE', `/transcriptions/${jobId}/links/${link.link_id}`);
    const secret = link.url.slice(link.url.lastIndexOf('/') + 1);
    const encoded = link.url.replace('/links/', '/link%73/');
    const requests = [['GET', link.url, 404], ['GET', encoded, 404], ['DELETE', link.url, 405], ['PUT', encoded, 404], ['GET', `${link.url}/x`, 404], ['POST', `${link.url}/`, 404], ['GET', `${link.url}%zz`, 400]] as const;
    for (const [method, url, status] of requests) {
      const answer = await fetch(url, { method });
      const text = await answer.text();
      expect([method, url, answer.status, JSON.parse(text)]).toEqual([method, url, status, expect.objectContaining({ instance: '/api/v1/links' })]);
      expect(text).not.toContain(secret);
    }
    const strays = [link.url.replace('/links/', '//links/'), link.url.replace('/api/', '/API/'), link.url.replace('/links/pll', '/link/%2570ll'), link.url.replace('/v1/links/', '/')];
    const others = [gateway.apiKey, `plt_${secret}`, `plv_${secret}`, `x;y=${gateway.apiKey}`].map((other) => `${gateway.url}/api/v1/transcriptions/upl_1/${other}`);
    for (const url of [...strays, ...others]) {
      const text = await (await fetch(url)).text();
      expect(JSON.parse(text)).toMatchObject({ instance: expect.stringMatching(/^\/(?:api(?:\/v1(?:\/\/links|\/link|\/transcriptions\/upl_1)?)?|API\/v1\/links)$/) });
      for (const part of [secret, secret.slice(4), gateway.apiKey.slice(3)]) expect(text).not.toContain(part);
    }
    expect(log.filter((line) => line.includes('"request"')).length).toBeGreaterThan(requests.length);
    expect(log.join('\n')).not.toContain(secret);
  });

  it.each([
    [{ HOST: '0.0.0.0' }, true],
    [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://parlance.example.org' }, false],
    [{ HOST: '127.0.0.1' }, false],
  ])('have the host that a request names, of which a start with %j warns: %s', async (settings, warns) => {
    const lines: string[] = [];
    await using server = await GatewayHarness.start(settings, createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } }));
    expect(server.url).toMatch(/^http/);
    expect(lines.filter((line) => line.includes('"setting":"PUBLIC_URL"'))).toHaveLength(warns ? 1 : 0);
  });
});
