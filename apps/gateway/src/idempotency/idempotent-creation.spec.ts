import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json as jsonOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { GatewayHarness, type Answer } from '../../test/gateway-harness.js';

type Created = Answer<{ job_id: string; code: string; retryable: boolean }>;

describe('creation under an Idempotency-Key', () => {
  let gateway: GatewayHarness;
  let count = 0;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
  afterEach(() => {
    gateway.services.beforeCreate = async () => {};
    gateway.services.afterCreate = async () => {};
  });

  const newKey = () => `key-${count++}`;
  const create = (key: string, json: unknown): Promise<Created> =>
    gateway.call('POST', '/transcriptions', { json, headers: { 'idempotency-key': key, 'content-type': 'application/json' } });
  const upload = (key: string, bytes: string, fields: Record<string, string> = {}): Promise<Created> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([bytes]), 'a.wav');
    return gateway.call('POST', '/transcriptions', { body: form, headers: { 'idempotency-key': key } });
  };
  const jobsMade = async (work: () => Promise<unknown>) => {
    const before = gateway.services.jobs.size;
    await work();
    return gateway.services.jobs.size - before;
  };
  const body = { audio_url: 'https://example.org/a.mp3', metadata: { a: '1', b: '2' } };

  it('makes one job and repeats its answer', async () => {
    const key = newKey();
    const first = await create(key, body);
    const again = await create(key, { metadata: { b: '2', a: '1' }, audio_url: body.audio_url });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body).toEqual(first.body);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
  });

  it('refuses another body', async () => {
    const key = newKey();
    await create(key, body);
    expect(await create(key, { audio_url: 'https://example.org/b.mp3' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
  });

  it('says 409 while the first is running, and that it is worth another try', async () => {
    const key = newKey();
    const arrived: (() => void)[] = [];
    gateway.services.beforeCreate = () => new Promise((thenSync) => arrived.push(thenSync));
    const first = create(key, body);
    await eventually('the first to arrive', () => arrived.length === 1);
    expect(await create(key, body)).toMatchObject({ status: 409, body: { code: 'idempotency_in_flight', retryable: true } });
    arrived.forEach((thenSync) => thenSync());
    expect((await first).status).toBe(202);
  });

  it('refuses two keys, and takes one that has a comma', async () => {
    const send = async (...keys: string[]) => {
      const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json', 'idempotency-key': keys };
      const call = request(`${gateway.url}/api/v1/transcriptions`, { method: 'POST', headers });
      call.end(JSON.stringify(body));
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, body: await jsonOf(answer) };
    };
    const key = newKey();
    expect(await send(key, key)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    expect(await send(`${key}, ${key}`)).toMatchObject({ status: 202 });
  });

  it('is not used up by a refused request', async () => {
    const key = newKey();
    expect((await create(key, { audio_url: 'http://10.0.0.1/' })).status).toBe(422);
    expect((await create(key, body)).status).toBe(202);
    const refused = newKey();
    gateway.services.beforeCreate = () => Promise.reject(new AppError({ kind: 'conflict', code: 'invalid_state', message: 'no' }));
    expect((await create(refused, body)).status).toBe(409);
    gateway.services.beforeCreate = async () => {};
    expect((await create(refused, { audio_url: 'https://example.org/other.mp3' })).status).toBe(202);
  });

  it('makes no second job when the answer to the first was lost', async () => {
    const key = newKey();
    const lost = () => Promise.reject(new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'gone' }));
    gateway.services.afterCreate = lost;
    const made = await jobsMade(async () => {
      expect(await create(key, body)).toMatchObject({ status: 503, body: { retryable: true } });
      gateway.services.afterCreate = async () => {};
      const second = await create(key, body);
      expect(second.status).toBe(202);
      expect(gateway.services.jobs.has(second.body.job_id)).toBe(true);
    });
    expect(made).toBe(1);
  });

  it('makes one job of fifty at once, by address or by upload', async () => {
    for (const send of [(key: string) => create(key, body), (key: string) => upload(key, 'RIFF', { language: 'en' })]) {
      const key = newKey();
      const made = await jobsMade(async () => {
        const answers = await Promise.all(Array.from({ length: 50 }, () => send(key)));
        const accepted = answers.filter(({ status }) => status === 202);
        expect(new Set(accepted.map(({ body: { job_id: jobId } }) => jobId)).size).toBe(1);
        expect(accepted.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
        for (const answer of answers) if (answer.status !== 202) expect(answer).toMatchObject({ status: 409, body: { code: 'idempotency_in_flight', retryable: true } });
        expect((await send(key)).body).toEqual(accepted[0]?.body);
      });
      expect(made).toBe(1);
    }
  });

  it('compares an upload by its fields and its bytes', async () => {
    const key = newKey();
    const first = await upload(key, 'RIFF one', { language: 'en' });
    const again = await upload(key, 'RIFF one', { language: 'en' });
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await upload(key, 'RIFF two', { language: 'en' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    expect(await upload(key, 'RIFF one', { language: 'de' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
  });

  it('lets an upload whose answer was lost be repeated, and touches the file of its job no more', async () => {
    const key = newKey();
    gateway.services.afterCreate = () => Promise.reject(new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'gone' }));
    expect((await upload(key, 'RIFF')).status).toBe(503);
    gateway.services.afterCreate = async () => {};
    const made = await jobsMade(async () => {
      expect(await upload(key, 'RIFX')).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
      expect((await upload(key, 'RIFF')).status).toBe(202);
    });
    expect(made).toBe(0);
  });

  it('refuses a key that no header should hold', async () => {
    expect(await create('x'.repeat(256), body)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });

  it('makes a deleted job no second time; the erasure tells of the record', async () => {
    const key = newKey();
    const { job_id: jobId } = (await create(key, body)).body;
    const data = events.JobEvent.fromPartial({ jobId, accountId: gateway.accountId, status: common.JobStatus.JOB_STATUS_CANCELED, erasureId: 'era_1' });
    await gateway.process.publish({ type: 'job.deleted', data });
    const report = await eventually('the report', () => gateway.process.heard.find((event) => event.type === 'erasure.reported' && event.data.jobId === jobId));
    expect(report.data).toMatchObject({ erasureId: 'era_1', what: 'request_records', where: 'gateway', count: 1 });
    for (const again of [body, { audio_url: 'https://example.org/b.mp3' }]) {
      expect(await create(key, again)).toMatchObject({ status: 409, body: { code: 'invalid_state', retryable: false } });
    }
    expect((await upload(key, 'RIFF')).status).toBe(409);
  });
});
