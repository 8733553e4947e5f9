import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, runAdmin, SAMPLES, startParlance, type Parlance, type TestApi } from '@parlance/testing';
import { strFromU8, unzipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { compactVerify, createRemoteJWKSet } from 'jose';
import { collectionsWith } from './account-traces.js';

interface AccountAnswer {
  account_id: string;
  deletion?: { erasure_id: string; requested_at: string; due_at: string };
  legal_hold?: { reason: string; set_by: string };
}

interface ReceiptAnswer {
  status: string;
  account_id: string;
  items: { what: string; where: string; count: number }[];
  jws: string;
}

const SPOKEN = 'Xanthippe';

let parlance: Parlance;
beforeAll(async () => {
  parlance = await startParlance({ env: { SPEECH_ENGINE_URL: `fixture:?words=${SPOKEN}` } });
});
afterAll(() => parlance.dispose());

const accountOf = (api: TestApi) => api.json<AccountAnswer>('/account');
const codeOf = async (answer: Promise<Response>) => {
  const response = await answer;
  return [response.status, response.ok ? undefined : ((await response.json()) as { code: string }).code];
};
const admin = (...args: string[]) => runAdmin(parlance.settings, ...args);

/** An account with one of everything. */
async function filledAccount(): Promise<{ api: TestApi; accountId: string; jobId: string }> {
  const api = await parlance.newAccount();
  const jobId = await api.upload(SAMPLES.meeting.path, { metadata: JSON.stringify({ title: 'Zenobia' }) }, { 'idempotency-key': 'meeting' });
  await api.terminal(jobId);
  const made = await Promise.all([
    api.post('/vocabularies', { name: 'Zenobia', phrases: [{ phrase: 'Zenobia' }] }),
    api.post('/projects', { name: 'Zenobia' }),
    api.post('/webhook-endpoints', { url: 'https://zenobia.example/hook' }),
    api.request('POST', '/uploads?file_name=zenobia.mp3', { body: await readFile(SAMPLES.reading.path), headers: { 'content-type': 'audio/mpeg' } }),
    api.post('/chat', { message: `Who said ${SPOKEN}?` }),
    api.post('/batches', { items: [{ audio_url: 'http://127.0.0.1:1/zenobia.mp3' }] }),
    api.post(`/transcriptions/${jobId}/links`, { what: 'transcript' }),
  ]);
  expect(made.filter(({ ok }) => !ok).map(({ url, status }) => [url, status])).toEqual([]);
  await eventually('the batch to end', async () => (await api.json<{ data: { status: string }[] }>('/batches')).data[0]?.status === 'completed');
  return { api, accountId: (await accountOf(api)).account_id, jobId };
}

describe('the export of an account', () => {
  it('has the answers of the API, with the recording and the digest of each file', async () => {
    const { api, accountId, jobId } = await filledAccount();
    const order = await api.post('/account/export', { media: true }, { 'idempotency-key': 'export' });
    expect([order.status, await order.json()]).toMatchObject([202, { status: 'processing', media: true }]);
    const repeated = await api.post('/account/export', { media: true }, { 'idempotency-key': 'export' });
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    const made = await eventually('the export', async () => {
      const answer = await api.json<{ status: string; size_bytes: number; sha256: string }>('/account/export');
      return answer.status === 'completed' && answer;
    });
    const whole = new Uint8Array(await (await api.request('GET', '/account/export/archive')).arrayBuffer());
    expect([whole.length, createHash('sha256').update(whole).digest('hex')]).toEqual([made.size_bytes, made.sha256]);
    const rest = await api.request('GET', '/account/export/archive', { headers: { range: 'bytes=1000-' } });
    expect([rest.status, rest.headers.get('content-range')]).toEqual([206, `bytes 1000-${whole.length - 1}/${whole.length}`]);
    expect(Buffer.from(await rest.arrayBuffer()).equals(whole.subarray(1000))).toBe(true);

    const files = unzipSync(whole);
    const json = (name: string) => JSON.parse(strFromU8(files[name] ?? new Uint8Array())) as never;
    const manifest = json('manifest.json') as { account_id: string; product_version: string; files: { name: string; size: number; sha256: string }[]; counts: Record<string, number> };
    expect(manifest).toMatchObject({ account_id: accountId, product_version: expect.any(String) });
    expect(manifest.files.map(({ name }) => name).toSorted()).toEqual(Object.keys(files).filter((name) => name !== 'manifest.json').toSorted());
    for (const { name, size, sha256 } of manifest.files) expect([name, files[name]?.length, createHash('sha256').update(files[name] ?? '').digest('hex')]).toEqual([name, size, sha256]);
    expect(json(`transcriptions/${jobId}/job.json`)).toMatchObject({ job_id: jobId, transcript: { text: expect.stringContaining(SPOKEN) } });
    expect(Buffer.from(files[`transcriptions/${jobId}/media/source`] ?? []).equals(await readFile(SAMPLES.meeting.path))).toBe(true);
    const folders = ['account.json', 'usage', 'keys', 'projects', 'webhook-endpoints', 'vocabularies', 'batches', 'conversations', 'transcriptions', 'uploads', 'events', 'audit'];
    expect(folders.filter((name) => manifest.counts[name] === undefined)).toEqual([]);
    expect(strFromU8(files['keys/000001.json'] ?? new Uint8Array())).not.toContain(api.apiKey);
    expect((await api.request('DELETE', '/account/export')).status).toBe(204);
    expect((await api.request('GET', '/account/export')).status).toBe(404);
    const { export_id: ordered } = JSON.parse(await admin('accounts', 'export', accountId, '--json')) as { export_id: string };
    expect(await api.json('/account/export')).toMatchObject({ export_id: ordered, media: false });
  });
});

describe('a legal hold', () => {
  it('keeps a job and its account from being deleted, until it is lifted', async () => {
    const api = await parlance.newAccount();
    const jobId = await api.upload(SAMPLES.reading.path);
    expect((await api.post('/legal-hold', { job_id: jobId, reason: 'case 7' })).status).toBe(200);
    expect(await api.job(jobId)).toMatchObject({ legal_hold: { reason: 'case 7', set_by: 'account' } });
    expect(await codeOf(api.request('DELETE', `/transcriptions/${jobId}`))).toEqual([409, 'legal_hold']);
    expect(await codeOf(api.request('DELETE', '/account'))).toEqual([409, 'legal_hold']);
    expect(await accountOf(api)).not.toHaveProperty('deletion');
    expect((await api.request('DELETE', `/legal-hold?job_id=${jobId}`)).status).toBe(204);
    expect(await api.job(jobId)).not.toHaveProperty('legal_hold');
    await api.delete(jobId);
    const { data } = await api.json<{ data: { action: string; resources: string[] }[] }>('/audit?limit=100');
    for (const action of ['setLegalHold', 'liftLegalHold']) expect(data).toContainEqual(expect.objectContaining({ action, resources: expect.arrayContaining([jobId]) }));
  });

  it('of the operator is not lifted by the account', async () => {
    const api = await parlance.newAccount();
    const { account_id: accountId } = await accountOf(api);
    await admin('holds', 'set', accountId, '--reason', 'court order');
    expect((await accountOf(api)).legal_hold).toMatchObject({ reason: 'court order', set_by: 'operator' });
    const jobId = await api.upload(SAMPLES.reading.path);
    for (const refused of [api.request('DELETE', '/legal-hold'), api.post('/legal-hold', { reason: 'mine' }), api.request('DELETE', '/account'), api.request('DELETE', `/transcriptions/${jobId}`)]) expect(await codeOf(refused)).toEqual([409, 'legal_hold']);
    await admin('holds', 'lift', accountId);
    await api.delete(jobId);
  });
});

describe('the deletion of an account', () => {
  it('refuses new work and cancels what runs, can be read and exported, and is withdrawn', async () => {
    const api = await parlance.newAccount();
    const jobId = await api.upload(SAMPLES.reading.path);
    await api.terminal(jobId);
    const answer = await api.request('DELETE', '/account');
    const { deletion } = (await answer.json()) as AccountAnswer;
    expect([answer.status, Date.parse(deletion?.due_at ?? '') - Date.parse(deletion?.requested_at ?? '')]).toEqual([202, 30 * 24 * 3600 * 1000]);
    const refused = { jobs: () => api.tryUpload(SAMPLES.reading.path), live: () => api.post('/live', {}), vocabularies: () => api.post('/vocabularies', { name: 'a', phrases: [{ phrase: 'b' }] }), chat: () => api.post('/chat', { message: 'Who?' }) };
    // Another gateway may remember the account as it was for some seconds.
    for (const [what, request] of Object.entries(refused)) await eventually(`${what} to be refused`, async () => (await codeOf(request()))[1] === 'account_deletion_scheduled');
    expect((await api.job(jobId)).status).toBe('completed');
    expect((await api.post('/account/export', {})).status).toBe(202);
    expect(await (await api.post('/account/restore', {})).json()).not.toHaveProperty('deletion');
    await eventually('new jobs', async () => (await api.tryUpload(SAMPLES.reading.path)).status === 202);
  });

  it('by the operator is withdrawn by the operator alone', async () => {
    const api = await parlance.newAccount();
    const { account_id: accountId } = await accountOf(api);
    await admin('accounts', 'delete', accountId, '--days', '3');
    expect(await codeOf(api.post('/account/restore', {}))).toEqual([409, 'invalid_state']);
    await admin('accounts', 'restore', accountId);
    expect(await accountOf(api)).not.toHaveProperty('deletion');
  });

  it('leaves nothing but ids in any service, and a receipt that anybody can verify', async () => {
    await parlance.restart({ ACCOUNT_DELETION_DAYS: '0' });
    const kept = await filledAccount();
    const { api, accountId, jobId } = await filledAccount();
    expect(await collectionsWith(parlance, accountId)).not.toEqual([]);
    await api.post('/account/export', { media: true });
    const { deletion } = (await (await api.request('DELETE', '/account')).json()) as AccountAnswer;
    const id = deletion?.erasure_id ?? '';
    const nobody = api.as('');
    const receipt = await eventually('the receipt', async () => {
      const answer = await fetch(`${nobody.url}/api/v1/account-erasures/${id}`);
      const body = answer.ok && ((await answer.json()) as ReceiptAnswer);
      return body && body.status === 'completed' && body;
    }, 60_000, 250);
    expect((await api.request('GET', '/account')).status).toBe(401);
    expect(receipt.items).toEqual(expect.arrayContaining([expect.objectContaining({ what: 'jobs', count: 2 }), expect.objectContaining({ what: 'api_keys', where: 'gateway', count: 1 }), expect.objectContaining({ what: 'conversations', where: 'search' }), expect.objectContaining({ what: 'webhook_endpoints' })]));
    const { payload, protectedHeader } = await compactVerify(receipt.jws, createRemoteJWKSet(new URL(`${api.url}/.well-known/jwks.json`)));
    expect([protectedHeader.typ, JSON.parse(new TextDecoder().decode(payload))]).toMatchObject(['account-erasure-receipt+jws', { account_id: accountId, erasure_id: id, items: receipt.items }]);
    expect(await collectionsWith(parlance, accountId)).toEqual([]);
    expect(await parlance.media(jobId)).toEqual([]);
    expect((await kept.api.job(kept.jobId)).transcript?.text).toContain(SPOKEN);
    expect((await kept.api.json<{ data: object[] }>(`/search?q=${SPOKEN}`)).data).not.toEqual([]);
    expect(await admin('erasures', 'export')).toContain(`"account_erasure_id":"${id}"`);
    expect(JSON.parse(await admin('audit', 'verify', '--json'))).toMatchObject({ ok: true });
  });
});
