import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ulidGenerator } from '@parlance/platform';
import { strFromU8, unzipSync } from 'fflate';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { StorageFolder } from '../../test/storage-folder.js';
import { ROUTE_TABLE } from '../docs/route-table.js';
import { Projects } from './projects.js';

interface NewKey {
  key_id: string;
  api_key: string;
  scopes: string[];
}

const noJobs = { listJobs: async () => ({ jobs: [], nextCursor: undefined }) };

describe('projects', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const create = async (name = 'Apollo') => (await gateway.call<{ project_id: string }>('POST', '/projects', { json: { name } })).body.project_id;
  const keyOf = async (projectId: string, more: object = {}) => (await gateway.call<NewKey>('POST', '/keys', { json: { name: 'bound', project_id: projectId, ...more } })).body;
  const boundTo = async (projectId: string) => gateway.as((await keyOf(projectId)).api_key);
  const idsIn = async (caller: GatewayHarness, path: string, id: string) => (await caller.call<{ data: Record<string, string>[] }>('GET', path)).body.data.map((item) => item[id]);
  const upload = async (caller: GatewayHarness) => ((await (await caller.fetch('/api/v1/uploads', { method: 'POST', body: 'RIFF', headers: { 'content-type': 'audio/wav' } })).json()) as { upload_id: string }).upload_id;

  it('are created, read, listed, renamed and deleted', async () => {
    const id = await create();
    const path = `/projects/${id}`;
    expect(await gateway.call('GET', path)).toMatchObject({ status: 200, body: { project_id: id, name: 'Apollo' } });
    expect(await gateway.call('PATCH', path, { json: { name: 'Gemini' } })).toMatchObject({ status: 200, body: { project_id: id, name: 'Gemini' } });
    expect(await idsIn(gateway, '/projects?limit=1', 'project_id')).toEqual([id]);
    expect((await gateway.call('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'DELETE'] as const) expect((await gateway.call(method, path)).status).toBe(404);
  });

  it('of another account are not found, and bind no key', async () => {
    const id = await create();
    const { apiKey } = await gateway.createAccount();
    const other = gateway.as(apiKey);
    for (const [method, json] of [['GET'], ['PATCH', { name: 'mine' }], ['DELETE']] as const) expect((await other.call(method, `/projects/${id}`, { json })).status).toBe(404);
    expect(await other.call('POST', '/keys', { json: { name: 'bound', project_id: id } })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/project_id', code: 'invalid_value' }] } });
  });

  it('bind no key whose project_id is null, as where it is absent, and keys that are bound create none', async () => {
    const key = await gateway.call<NewKey>('POST', '/keys', { json: { name: 'unbound', project_id: null, expires_at: null, scopes: ['transcriptions:read'] } });
    expect(key.status).toBe(201);
    expect(key.body).not.toHaveProperty('project_id');
    const bound = await boundTo(await create());
    for (const project of [null, undefined]) expect(await bound.call('POST', '/keys', { json: { name: 'other', project_id: project } })).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('with a key or a job are not deleted', async () => {
    const id = await create();
    const key = await keyOf(id);
    const jobId = await gateway.as(key.api_key).submit();
    const remove = async () => (await gateway.call('DELETE', `/projects/${id}`)).body['code'];
    expect(await remove()).toBe('project_in_use');
    await gateway.call('DELETE', `/keys/${key.key_id}`);
    expect(await remove()).toBe('project_in_use');
    await gateway.call('DELETE', `/transcriptions/${jobId}`);
    expect(await remove()).toBeUndefined();
  });

  it('are deleted or get a key, but never both, in whichever order and at once', async () => {
    const requestsFor = (id: string) => ({
      key: async () => (await gateway.call('POST', '/keys', { json: { name: 'bound', project_id: id } })).status,
      removal: async () => (await gateway.call('DELETE', `/projects/${id}`)).status,
    });
    const statusOf = async (id: string) => (await gateway.call('GET', `/projects/${id}`)).status;
    const first = await create();
    expect([await requestsFor(first).key(), await requestsFor(first).removal(), await statusOf(first)]).toEqual([201, 409, 200]);
    const second = await create();
    expect([await requestsFor(second).removal(), await requestsFor(second).key(), await statusOf(second)]).toEqual([204, 422, 404]);

    const atOnce = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const id = await create();
        const { key, removal } = requestsFor(id);
        return [...(await Promise.all([removal(), key()])), await statusOf(id)];
      }),
    );
    const givingWayToEachOther = [409, 422, 200];
    for (const outcome of atOnce) expect([[409, 201, 200], [204, 422, 404], givingWayToEachOther]).toContainEqual(outcome);
  });

  it('get no key while they are deleted', async () => {
    await using storage = await StorageFolder.open();
    const duringRemoval: boolean[] = [];
    const keys = { hasOfProject: async () => (duringRemoval.push(await projects.isOpen('acc_1', id)), false) };
    const projects: Projects = new Projects(storage.documents, keys, noJobs, storage.clock, ulidGenerator());
    const { id } = await projects.create('acc_1', 'Apollo');
    expect(await projects.isOpen('acc_1', id)).toBe(true);
    await projects.remove('acc_1', id);
    expect(duringRemoval).toEqual([false]);
  });

  it('can get keys again a minute after a deletion that was killed', async () => {
    await using storage = await StorageFolder.open();
    const killed = { hasOfProject: () => Promise.reject(new Error('killed')) };
    const projects = new Projects(storage.documents, killed, noJobs, storage.clock, ulidGenerator());
    const { id } = await projects.create('acc_1', 'Apollo');
    await expect(projects.remove('acc_1', id)).rejects.toThrow('killed');
    expect(await projects.isOpen('acc_1', id)).toBe(false);
    storage.after(60_000);
    expect(await projects.isOpen('acc_1', id)).toBe(true);
  });

  it('are not deleted by a call that goes on for longer than its mark is valid', async () => {
    await using storage = await StorageFolder.open();
    const slow = { hasOfProject: async () => (storage.after(60_000), false) };
    const projects = new Projects(storage.documents, slow, noJobs, storage.clock, ulidGenerator());
    const { id } = await projects.create('acc_1', 'Apollo');
    await expect(projects.remove('acc_1', id)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await projects.isOpen('acc_1', id)).toBe(true);
  });

  it('are that of the jobs, uploads and batches of their keys, which see no others; other keys see all', async () => {
    const [id, otherId] = [await create(), await create()];
    const [own, other] = [await boundTo(id), await boundTo(otherId)];
    const [job, otherJob, freeJob] = [await own.submit(), await other.submit(), await gateway.submit()];
    expect((await own.call('GET', `/transcriptions/${job}`)).body).toMatchObject({ project_id: id });
    expect(await idsIn(own, '/transcriptions', 'job_id')).toEqual([job]);
    expect(await idsIn(gateway, `/transcriptions?project_id=${otherId}`, 'job_id')).toEqual([otherJob]);
    expect(await idsIn(gateway, '/transcriptions', 'job_id')).toEqual(expect.arrayContaining([job, otherJob, freeJob]));
    expect((await own.call('GET', `/transcriptions?project_id=${otherId}`)).status).toBe(404);

    const [ownUpload, otherUpload] = [await upload(own), await upload(other)];
    expect(await idsIn(own, '/uploads', 'upload_id')).toEqual([ownUpload]);
    expect(await own.call('POST', '/transcriptions', { json: { upload_id: otherUpload } })).toMatchObject({ status: 422, body: { code: 'upload_not_found' } });
    expect((await own.call('POST', '/transcriptions', { json: { upload_id: ownUpload } })).status).toBe(202);
    const files = [ownUpload, otherUpload].map((id) => ({ upload_id: id }));
    expect(await own.call('POST', '/transcriptions', { json: { files } })).toMatchObject({ status: 422, body: { code: 'upload_not_found', errors: [{ pointer: '/files/1/upload_id' }] } });

    const batch = async (caller: GatewayHarness) => (await caller.call<{ batch_id: string }>('POST', '/batches', { json: { items: [{ audio_url: 'https://example.org/a.mp3' }] } })).body.batch_id;
    const [ownBatch, otherBatch] = [await batch(own), await batch(other)];
    expect(await idsIn(own, '/batches', 'batch_id')).toEqual([ownBatch]);
    expect([(await own.call('GET', `/batches/${ownBatch}/items`)).status, (await own.call('GET', `/batches/${otherBatch}/items`)).status]).toEqual([200, 404]);
    expect((await own.call('POST', '/exports', { json: { formats: ['txt'], batch_id: otherBatch } })).status).toBe(404);
    const archive = await (await own.fetch('/api/v1/exports', { method: 'POST', body: JSON.stringify({ formats: ['txt'], job_ids: [otherJob] }), headers: { 'content-type': 'application/json' } })).arrayBuffer();
    expect(strFromU8(unzipSync(new Uint8Array(archive))['manifest.json'] as Uint8Array)).toContain('"not_found"');
  });

  it('keep their keys from every operation on resources of other projects and of the account', async () => {
    const [own, other] = [await boundTo(await create()), await boundTo(await create())];
    const { body: batch } = await other.call<{ batch_id: string }>('POST', '/batches', { json: { items: [{ audio_url: 'https://example.org/a.mp3' }] } });
    const foreign: Record<string, string> = { job_id: await other.submit(), upload_id: await upload(other), batch_id: batch.batch_id };
    for (const path of [`/transcriptions/${foreign['job_id']}`, `/uploads/${foreign['upload_id']}`, `/batches/${foreign['batch_id']}`]) expect((await other.call('GET', path)).status).toBe(200);
    const open: string[] = [];
    for (const { id, method, path, access, isWithinProject } of ROUTE_TABLE) {
      if (access === 'public' || isWithinProject) continue;
      const target = path.replace('/api/v1', '').replace(/\{(\w+)\}/g, (_, name: string) => foreign[name] ?? 'other_1');
      const { status } = await own.call(method, target, method === 'GET' || method === 'DELETE' ? {} : { json: {} });
      if (status !== 404 && status !== 403) open.push(`${id}: ${status}`);
    }
    expect(open).toEqual([]);
  });

  it('are that of the tokens of their keys', async () => {
    const [own, other] = [await boundTo(await create()), await boundTo(await create())];
    const [job, otherJob] = [await own.submit(), await other.submit()];
    const { body } = await own.call<{ token: string }>('POST', '/tokens', { json: { scopes: ['transcriptions:read'] } });
    const token = gateway.as(body.token);
    expect([(await token.call('GET', `/transcriptions/${job}`)).status, (await token.call('GET', `/transcriptions/${otherJob}`)).status]).toEqual([200, 404]);
    expect(await idsIn(token, '/transcriptions', 'job_id')).toEqual([job]);
    expect((await own.call('POST', '/tokens', { json: { job_id: otherJob } })).status).toBe(404);
    expect((await own.call('POST', '/tokens', { json: { upload_id: await upload(other) } })).status).toBe(404);
  });

  it('share no Idempotency-Key', async () => {
    const [own, other] = [await boundTo(await create()), await boundTo(await create())];
    const submit = async (caller: GatewayHarness) => (await caller.call<{ job_id: string }>('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3' }, headers: { 'idempotency-key': 'the-same' } })).body.job_id;
    const first = await submit(own);
    expect(await submit(other)).not.toBe(first);
    expect(await submit(own)).toBe(first);
  });

  it('give the rotation of a key the same project, and no scope for the whole account', async () => {
    const id = await create();
    const key = await keyOf(id);
    expect(key.scopes).not.toEqual(expect.arrayContaining(['keys']));
    expect(await gateway.call('POST', '/keys', { json: { name: 'bound', project_id: id, scopes: ['keys'] } })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes' }] } });
    expect((await gateway.call('POST', `/keys/${key.key_id}/rotate`)).body).toMatchObject({ project_id: id });
  });
});
