import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import type { BatchItemJson, BatchJson } from './batch-schema.js';

const { JobStatus } = common;
const URL = 'https://example.org/a.mp3';

describe('a batch', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
  afterEach(() => {
    gateway.services.beforeCreate = async () => {};
    gateway.services.afterCreate = async () => {};
  });

  const create = (json: object, headers: Record<string, string> = {}) => gateway.call<BatchJson & { code?: string; errors?: { pointer: string }[] }>('POST', '/batches', { json, headers });
  const get = async (batchId: string) => (await gateway.call<BatchJson>('GET', `/batches/${batchId}`)).body;
  const items = async (batchId: string, query = 'limit=100') => (await gateway.call<{ data: BatchItemJson[]; next_cursor: string | null }>('GET', `/batches/${batchId}/items?${query}`)).body;
  const created = async (json: object) => {
    const { body } = await create(json);
    await eventually('its jobs to be created', async () => (await get(body.batch_id)).counts.pending === 0);
    return body.batch_id;
  };
  const jobChanged = (batchId: string, jobId: string, type: 'job.completed' | 'job.failed' | 'job.started' | 'job.canceled', status: common.JobStatus, version = 2) =>
    gateway.process.publish({ type, data: events.JobEvent.fromPartial({ jobId, accountId: gateway.accountId, batchId, status, version }) });

  it('is accepted at once, and makes one job of each item with the defaults that the item does not state', async () => {
    const { status, headers, body } = await create({ defaults: { language: 'en', summary: false }, items: [{ custom_id: 'one', audio_url: URL }, { audio_url: URL, language: 'de' }, { audio_url: URL, language: null }] });
    expect([status, headers.get('location'), body.counts.total]).toEqual([202, `/api/v1/batches/${body.batch_id}`, 3]);
    await eventually('its jobs', async () => (await get(body.batch_id)).counts.queued === 3);
    const { data } = await items(body.batch_id);
    expect(data.map(({ index, custom_id: name, status: state }) => [index, name, state])).toEqual([[0, 'one', 'queued'], [1, undefined, 'queued'], [2, undefined, 'queued']]);
    const jobs = data.map(({ job_id: jobId = '' }) => gateway.services.job(jobId));
    expect(jobs.map(({ options }) => [options?.language, options?.summary?.enabled])).toEqual([['en', false], ['de', false], [undefined, false]]);
    expect(gateway.services.created.filter(({ batchId }) => batchId === body.batch_id)).toHaveLength(3);
  });

  it('refuses a wrong item alone, with what is wrong with it', async () => {
    const batchId = await created({ items: [{ audio_url: URL }, { audio_url: 'http://169.254.169.254/' }, { audio_url: URL, colour: 'red', custom_id: 'c' }, 7, {}, { upload_id: 'upl_none' }] });
    const { data } = await items(batchId);
    expect(data.map(({ status }) => status)).toEqual(['queued', 'refused', 'refused', 'refused', 'refused', 'refused']);
    expect(data.map(({ error }) => error?.errors?.map(({ pointer, code }) => [pointer, code]))).toEqual([
      undefined,
      [['/audio_url', 'address_forbidden']],
      [['/colour', 'unknown_field']],
      [['', 'invalid_type']],
      [['/audio_url', 'required']],
      [['/upload_id', 'upload_not_found']],
    ]);
    expect(data.map(({ job_id: jobId }) => jobId !== undefined)).toEqual([true, false, false, false, false, false]);
  });

  it('is refused as a whole for what is wrong with it as a whole', async () => {
    for (const [json, pointer] of [
      [{ items: [] }, '/items'],
      [{ items: Array.from({ length: 1001 }, () => ({})) }, '/items'],
      [{ items: [{ audio_url: URL }], defaults: { colour: 1 } }, '/defaults/colour'],
      [{ items: [{ audio_url: URL }], defaults: { audio_url: URL } }, '/defaults/audio_url'],
      [{ items: [{ audio_url: URL }], callback_url: 'http://127.0.0.1/' }, '/callback_url'],
      [{ items: [{ audio_url: URL }], colour: 1 }, '/colour'],
    ] as const) expect(await create(json)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it('waits for room where the account has as many jobs as it may have', async () => {
    let refusals = 0;
    gateway.services.beforeCreate = async () => {
      if (refusals++ < 2) throw new AppError({ code: 'too_many_jobs', message: 'Full.' });
    };
    const batchId = await created({ items: [{ audio_url: URL }, { audio_url: URL }] });
    expect((await get(batchId)).counts).toMatchObject({ queued: 2, refused: 0 });
  });

  it('makes each job once when its answer is lost', async () => {
    const before = gateway.services.jobs.size;
    let lost = 0;
    gateway.services.afterCreate = async () => {
      if (lost++ < 2) throw new AppError({ code: 'service_unavailable', kind: 'unavailable', message: 'Gone.' });
    };
    await created({ items: Array.from({ length: 5 }, () => ({ audio_url: URL })) });
    expect(gateway.services.jobs.size - before).toBe(5);
  });

  it('follows its jobs, whatever the order of their events, and ends once, with one event', async () => {
    const batchId = await created({ items: [{ audio_url: URL }, { audio_url: URL }, {}], callback_url: 'https://example.org/hook' });
    const [one = '', two = ''] = (await items(batchId)).data.map(({ job_id: jobId }) => jobId);
    await jobChanged(batchId, one, 'job.completed', JobStatus.JOB_STATUS_COMPLETED, 9);
    await jobChanged(batchId, one, 'job.started', JobStatus.JOB_STATUS_PROCESSING, 2);
    await eventually('the first', async () => (await get(batchId)).percent > 66);
    expect(await get(batchId)).toMatchObject({ status: 'processing', counts: { completed: 1, queued: 1, refused: 1, processing: 0 } });
    await gateway.process.publish({ type: 'job.failed', data: events.JobEvent.fromPartial({ jobId: two, accountId: gateway.accountId, batchId, status: JobStatus.JOB_STATUS_FAILED, version: 3, error: { code: 'media_unsupported', message: 'No.', retryable: false } }) });
    const event = await eventually('the event', () => gateway.process.heard.find(({ type, data }) => type === 'batch.completed' && (data as events.BatchCompleted).batchId === batchId));
    expect(event.data).toMatchObject({ accountId: gateway.accountId, canceled: false, callbackUrl: 'https://example.org/hook', counts: { total: 3, completed: 1, failed: 1, refused: 1, canceled: 0, deleted: 0 } });
    expect(await get(batchId)).toMatchObject({ status: 'completed', percent: 100 });
    expect((await items(batchId, 'status=failed')).data).toMatchObject([{ index: 1, job_id: two, error: { code: 'media_unsupported' } }]);
    await jobChanged(batchId, two, 'job.completed', JobStatus.JOB_STATUS_COMPLETED, 12);
    await eventually('the retried one', async () => (await get(batchId)).counts.completed === 2);
    expect(gateway.process.heard.filter(({ type, data }) => type === 'batch.completed' && (data as events.BatchCompleted).batchId === batchId)).toHaveLength(1);
  });

  it('of a key that is bound to a project ends with an event that names the project', async () => {
    const { body: project } = await gateway.call<{ project_id: string }>('POST', '/projects', { json: { name: 'Podcasts' } });
    const { body: key } = await gateway.call<{ api_key: string }>('POST', '/keys', { json: { name: 'bound', scopes: ['transcriptions:write'], project_id: project.project_id } });
    const { body: batch } = await gateway.as(key.api_key).call<{ batch_id: string }>('POST', '/batches', { json: { items: [{}] } });
    const event = await eventually('the event', () => gateway.process.heard.find(({ type, data }) => type === 'batch.completed' && (data as events.BatchCompleted).batchId === batch.batch_id));
    expect(event.data).toMatchObject({ projectId: project.project_id });
  });

  it('is canceled: pending items get no job, and jobs are canceled', async () => {
    let room = 1;
    gateway.services.beforeCreate = async () => {
      if (room-- < 1) throw new AppError({ code: 'too_many_jobs', message: 'Full.' });
    };
    const { body } = await create({ items: Array.from({ length: 3 }, () => ({ audio_url: URL })) });
    await eventually('one job', async () => (await get(body.batch_id)).counts.queued === 1);
    const canceled = await gateway.call<BatchJson>('POST', `/batches/${body.batch_id}/cancel`);
    expect([canceled.status, canceled.body.status]).toEqual([202, 'canceling']);
    const queued = (await items(body.batch_id, 'status=queued')).data[0]?.job_id ?? '';
    await eventually('the job to be canceled', () => gateway.services.job(queued).status === JobStatus.JOB_STATUS_CANCELED);
    await jobChanged(body.batch_id, queued, 'job.canceled', JobStatus.JOB_STATUS_CANCELED);
    await eventually('the batch to end', async () => (await get(body.batch_id)).status === 'canceled');
    expect((await get(body.batch_id)).counts).toMatchObject({ canceled: 3, pending: 0, queued: 0 });
    expect(await gateway.call('POST', `/batches/${body.batch_id}/cancel`)).toMatchObject({ status: 202, body: { status: 'canceled' } });
  });

  it('makes no further jobs once its key is revoked: pending items are refused, and it ends', async () => {
    gateway.services.beforeCreate = () => Promise.reject(new AppError({ code: 'too_many_jobs', message: 'Full.' }));
    const { keyId, apiKey } = await gateway.createKey(['transcriptions:read', 'transcriptions:write']);
    const { body } = await gateway.as(apiKey).call<BatchJson>('POST', '/batches', { json: { items: [{ audio_url: URL }, { audio_url: URL }] } });
    expect((await gateway.call('DELETE', `/keys/${keyId}`)).status).toBe(204);
    await eventually('the batch to end', async () => (await get(body.batch_id)).status === 'completed');
    expect((await items(body.batch_id)).data).toMatchObject([{ status: 'refused', error: { code: 'unauthenticated' } }, { status: 'refused', error: { code: 'unauthenticated' } }]);
  });

  it('shows its callback URL without what can hold secrets', async () => {
    const { body } = await create({ items: [{}], callback_url: 'https://example.org/hook?token=secret#a' });
    expect(body.callback_url).toBe('https://example.org/hook');
  });

  it('says of an item whose job was deleted that it is, and keeps nothing else of it', async () => {
    const batchId = await created({ items: [{ audio_url: URL, custom_id: 'Ada Lovelace' }] });
    const [{ job_id: jobId = '' } = {}] = (await items(batchId)).data;
    await gateway.process.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ jobId, accountId: gateway.accountId, erasureId: 'era_1', version: 2 }) });
    await eventually('the item', async () => (await items(batchId)).data[0]?.status === 'deleted');
    expect((await items(batchId)).data).toEqual([{ index: 0, status: 'deleted', job_id: jobId }]);
    const report = await eventually('the report', () => gateway.process.heard.find(({ type, key }) => type === 'erasure.reported' && key === jobId));
    expect(report.data).toMatchObject({ count: 1 });
    expect((await get(batchId)).status).toBe('completed');
  });

  it('is read page by page, by its account alone, and made once under an Idempotency-Key', async () => {
    const json = { items: Array.from({ length: 5 }, (_, index) => ({ audio_url: URL, custom_id: String(index) })) };
    const [first, again] = [await create(json, { 'idempotency-key': 'b-1' }), await create(json, { 'idempotency-key': 'b-1' })];
    expect([again.body.batch_id, again.headers.get('idempotency-replayed')]).toEqual([first.body.batch_id, 'true']);
    const page = await items(first.body.batch_id, 'limit=3');
    const rest = await items(first.body.batch_id, `limit=3&cursor=${page.next_cursor}`);
    expect([...page.data, ...rest.data].map(({ custom_id: name }) => name)).toEqual(['0', '1', '2', '3', '4']);
    expect(rest.next_cursor).toBeNull();
    const list = await gateway.call<{ data: BatchJson[] }>('GET', '/batches?limit=1');
    expect(list.body.data.map(({ batch_id: id }) => id)).toEqual([first.body.batch_id]);
    const other = gateway.as((await gateway.createAccount()).apiKey);
    for (const path of ['', '/items']) expect((await other.call('GET', `/batches/${first.body.batch_id}${path}`)).status).toBe(404);
    expect((await other.call('POST', `/batches/${first.body.batch_id}/cancel`)).status).toBe(404);
    expect((await other.call<{ data: unknown[] }>('GET', '/batches')).body.data).toEqual([]);
  });
});
