import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, NO_ADD_ONS, type Parlance, SAMPLES, type TestApi } from '@parlance/testing';
import { pointersOf, problem } from './problem.js';
import { product } from './product.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const SOMEWHERE = 'http://127.0.0.1:9/talk.mp3';

let parlance: Parlance;
let api: TestApi;
/** Of another account of the same server. */
let other: TestApi;
let othersJob: string;

beforeAll(async () => {
  parlance = await product();
  api = parlance.api;
  other = await parlance.newAccount();
  othersJob = await other.upload(SAMPLES.reading.path, NO_ADD_ONS);
  await other.terminal(othersJob);
});

const submitting = (body: unknown, headers?: Record<string, string>) => api.post('/transcriptions', body, headers);

describe('a stranger', () => {
  const signUp = (body: unknown) => fetch(`${api.url}/api/v1/signup`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });

  it('signs up, works with the key on every server, and ends it', async () => {
    const response = await signUp({ email: 'ada@example.org' });
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { account_id: accountId, api_key: apiKey } = (await response.json()) as { account_id: string; api_key: string };
    const theirs = api.as(apiKey);
    for (let server = 0; server < 2; server++) expect(await (await theirs.request('GET', '/account')).json()).toMatchObject({ account_id: accountId, plan: 'free' });
    const { data } = (await (await theirs.request('GET', '/keys')).json()) as { data: { key_id: string }[] };
    await problem(await theirs.request('DELETE', `/keys/${data[0]?.key_id}`), 409);
    expect((await theirs.request('DELETE', `/keys/${data[0]?.key_id}?allow_lockout=true`)).status).toBe(204);
    await eventually('the end of the key', async () => (await theirs.request('GET', '/account')).status === 401 && (await theirs.request('GET', '/account')).status === 401);
  });

  it('is told what is wrong with a sign-up', async () => {
    expect(await problem(await signUp({ email: 'ada\u0000@example.org' }), 422)).toMatchObject({ errors: [{ pointer: '/email' }] });
    expect(await problem(await signUp({ email: 'ada@example.org', plan: 'unlimited' }), 422)).toMatchObject({ code: 'unknown_field' });
    await problem(await fetch(`${api.url}/api/v1/signup`, { method: 'POST', headers: JSON_TYPE, body: '{' }), 400);
    await problem(await fetch(`${api.url}/api/v1/signup`), 405);
  });
});

describe('an address', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/a.mp3',
    'http://192.168.1.1/a.mp3',
    'http://[fd00::1]/a.mp3',
    'http://[::ffff:10.0.0.1]/a.mp3',
    'http://0/a.mp3',
    'http://0xa9fea9fe/',
    'http://2852039166/',
  ])('%s is refused at once, as media and as receiver', async (url) => {
    expect(await problem(await submitting({ audio_url: url }), 422)).toMatchObject({ code: 'address_forbidden', errors: [{ pointer: '/audio_url', code: 'address_forbidden' }] });
    const both = await problem(await submitting({ audio_url: url, callback_url: url }), 422);
    expect(pointersOf(both)).toEqual([['/audio_url', 'address_forbidden'], ['/callback_url', 'address_forbidden']]);
  });

  it.each(['ftp://example.org/a.mp3', 'file:///etc/passwd', 'http://user:password@example.org/a.mp3', 'example.org/a.mp3', 'http://', 'javascript:alert(1)'])(
    '%s is no address of media',
    async (url) => {
      expect(pointersOf(await problem(await submitting({ audio_url: url }), 422))).toEqual([['/audio_url', 'invalid_url']]);
    },
  );

  it('that the engine’s language list does not have is unsupported', async () => {
    const { errors } = await problem(await submitting({ audio_url: SOMEWHERE, language: 'tlh' }), 422);
    expect(errors).toMatchObject([{ pointer: '/language', code: 'language_unsupported' }]);
  });
});

describe('a job', () => {
  const PATHS = ['', '/transcript?format=txt', '/events', '/deliveries'];

  it.each(PATHS)('of another account is not there: …%s', async (path) => {
    expect(await problem(await api.request('GET', `/transcriptions/${othersJob}${path}`), 404)).toMatchObject({ code: 'not_found' });
    const response = await other.request('GET', `/transcriptions/${othersJob}${path}`);
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it('of another account cannot be canceled, retried, deleted or listed', async () => {
    await problem(await api.cancel(othersJob), 404);
    await problem(await api.retry(othersJob), 404);
    await problem(await api.request('DELETE', `/transcriptions/${othersJob}`), 404);
    const { data } = await api.json<{ data: { job_id: string }[] }>('/transcriptions?limit=100');
    expect(data.map(({ job_id: jobId }) => jobId)).not.toContain(othersJob);
    expect((await other.job(othersJob)).status).toBe('completed');
  });

  it.each(['job_unknown', 'nonsense', '%00', '..%2f..%2fetc%2fpasswd', 'job_%F0%28', "'; DROP TABLE jobs; --", 'x'.repeat(64), 'x'.repeat(5000)])(
    'with the id %.40s is not there',
    async (id) => {
      const response = await api.request('GET', `/transcriptions/${id}`);
      expect([400, 404, 414]).toContain(response.status);
      await problem(response, response.status);
    },
  );
});

describe('a key', () => {
  const get = (headers: Record<string, string>) => fetch(`${api.url}/api/v1/transcriptions`, { headers });

  it('must be there, and right to the last letter', async () => {
    const { apiKey } = api;
    const wrongLetter = `${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`;
    for (const headers of [{}, { authorization: `Bearer ${wrongLetter}` }, { authorization: 'Bearer' }, { authorization: `Basic ${apiKey}` }, { 'x-api-key': '' }, { 'x-api-key': `pl_${'0'.repeat(64)}` }]) {
      const response = await get(headers as Record<string, string>);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await problem(response, 401)).toMatchObject({ code: 'unauthenticated' });
    }
    expect((await get({ 'x-api-key': apiKey })).status).toBe(200);
    expect((await get({ authorization: `Bearer ${apiKey}` })).status).toBe(200);
  });

  it('does only what its scopes let it', async () => {
    const made = (await (await api.post('/keys', { name: 'reader', scopes: ['transcriptions:read'] })).json()) as { api_key: string; key_id: string };
    const reader = api.as(made.api_key);
    expect((await reader.request('GET', '/transcriptions')).status).toBe(200);
    expect(await problem(await reader.post('/transcriptions', { audio_url: SOMEWHERE }), 403)).toMatchObject({ code: 'insufficient_scope' });
    await problem(await reader.request('GET', '/keys'), 403);
    await problem(await reader.post('/keys', { name: 'more' }), 403);
    expect((await api.request('DELETE', `/keys/${made.key_id}`)).ok).toBe(true);
    const status = async () => (await reader.request('GET', '/transcriptions')).status;
    await eventually('its end on every server', async () => (await status()) === 401 && (await status()) === 401);
    await problem(await reader.request('GET', '/transcriptions'), 401);
  });
});

describe('a call', () => {
  it.each([
    ['PUT', '/transcriptions', 'GET, POST'],
    ['PUT', '/transcriptions/job_1', 'DELETE, GET, PATCH'],
    ['GET', '/transcriptions/job_1/cancel', 'POST'],
    ['DELETE', '/languages', 'GET'],
  ])('%s %s is answered with what is allowed', async (method, path, allowed) => {
    const response = await api.request(method, path);
    const listed = (response.headers.get('allow') ?? '').split(/, ?/).filter((each) => each !== 'HEAD' && each !== 'OPTIONS');
    expect(listed.toSorted().join(', ')).toBe(allowed);
    expect(await problem(response, 405)).toMatchObject({ code: 'method_not_allowed' });
  });

  it('of a path that is not there is answered as a problem', async () => {
    await problem(await api.request('GET', '/nothing'), 404);
    await problem(await fetch(`${api.url}/nothing`), 404);
  });

  it.each(['image/png', 'application/xml', 'text/plain;q=0, image/*'])('that accepts %s only gets no transcript', async (accept) => {
    await problem(await other.request('GET', `/transcriptions/${othersJob}/transcript`, { headers: { accept } }), 406);
  });

  it.each(['format=rtf', 'format=exe', 'format=srt&max_lines=0', 'format=srt&max_lines=many', 'frmat=srt'])('for a transcript with ?%s is refused', async (query) => {
    const response = await other.request('GET', `/transcriptions/${othersJob}/transcript?${query}`);
    expect([406, 422]).toContain(response.status);
    await problem(response, response.status);
  });

  it.each(['?limit=0', '?limit=101', '?limit=ten', '?cursor=nonsense', '?status=done', '?q=', '?q=--', '?created_after=yesterday', '?colour=red'])('for a list with %s is refused', async (query) => {
    await problem(await api.request('GET', `/transcriptions${query}`), 422);
  });

  it('carries the caller’s request id when it is sane, and never a broken one', async () => {
    const answer = (id: string) => api.request('GET', '/nothing', { headers: { 'x-request-id': id } });
    expect((await problem(await answer('mine-1'), 404)).request_id).toBe('mine-1');
    for (const broken of ['a b', 'x'.repeat(300), '<script>']) expect((await problem(await answer(broken), 404)).request_id).not.toBe(broken);
  });

  it('with a broken Idempotency-Key is refused', async () => {
    await problem(await submitting({ audio_url: SOMEWHERE }, { 'idempotency-key': 'x'.repeat(256) }), 400);
    await problem(await submitting({ audio_url: SOMEWHERE }, { 'idempotency-key': '' }), 400);
  });
});

describe('an Idempotency-Key', () => {
  it('gives the first answer again, and refuses another body', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await submitting({ audio_url: SOMEWHERE, metadata: { a: '1' } }, key);
    const again = await submitting({ metadata: { a: '1' }, audio_url: SOMEWHERE }, key);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([null, 'true']);
    expect(await again.json()).toEqual(await first.json());
    expect(await problem(await submitting({ audio_url: SOMEWHERE, metadata: { a: '2' } }, key), 422)).toMatchObject({ code: 'idempotency_mismatch' });
    expect((await other.post('/transcriptions', { audio_url: SOMEWHERE }, key)).headers.get('idempotency-replayed')).toBeNull();
  });

  it('of a refused call can be used again', async () => {
    const key = { 'idempotency-key': 'refused-first' };
    await problem(await submitting({ audio_url: SOMEWHERE, unknown: 1 }, key), 422);
    expect((await submitting({ audio_url: SOMEWHERE }, key)).status).toBe(202);
  });

  it('of an upload gives the first answer to the same file and refuses another', async () => {
    const key = { 'idempotency-key': 'file' };
    const first = await api.upload(SAMPLES.reading.path, {}, key);
    expect(await api.upload(SAMPLES.reading.path, {}, key)).toBe(first);
    expect(await problem(await api.tryUpload(SAMPLES.report.path, {}, key), 422)).toMatchObject({ code: 'idempotency_mismatch' });
  });
});

describe('the server', () => {
  it('is still the same process, ready, with nothing left of what it refused', async () => {
    expect((await fetch(`${api.url}/health/ready`)).status).toBe(200);
    await eventually('the scratch folder to be empty', async () => (await parlance.scratch()).length === 0);
    const { data } = await api.json<{ data: { status: string; job_id: string }[] }>('/transcriptions?limit=100');
    expect(data.length).toBeLessThanOrEqual(5);
    expect(await parlance.log()).not.toMatch(/"level":"(error|fatal)"/);
  });
});
