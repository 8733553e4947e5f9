import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events, gateway as contract, type NewEvent } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';

const PLANS = JSON.stringify({ tiny: { free_minutes: 1, limits: { jobs_in_flight: 3, max_file_bytes: 1000, max_duration_seconds: 60 } } });
const BODY = { audio_url: 'https://example.org/a.mp3' };

describe('usage over HTTP', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ PLANS, DEFAULT_PLAN: 'tiny' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const usage = (job: number, day: string, milliseconds: number, keyId: string | undefined): NewEvent => ({
    type: 'usage.recorded',
    data: events.UsageRecorded.fromPartial({
      usageId: `use_${job}_1`, jobId: `job_${job}`, accountId: gateway.accountId, run: 1, operation: 'transcription', milliseconds, day, occurredAt: new Date(day), ...(keyId !== undefined && { keyId }),
    }),
  });
  const totalOf = async () => (await gateway.call<{ total_seconds: number }>('GET', '/usage?from=2026-03-01&to=2026-03-31')).body.total_seconds;
  const post = (headers: Record<string, string> = {}) => gateway.call('POST', '/transcriptions', { json: BODY, headers: { 'content-type': 'application/json', ...headers } });

  it('names the key that made a job, for its usage', async () => {
    await gateway.submit();
    expect(gateway.services.created.at(-1)?.keyId).toMatch(/^key_/);
    expect((await gateway.call('GET', '/account')).body).toMatchObject({ plan: 'tiny', free_seconds: 60, free_seconds_left: 60 });
  });

  it('has no free seconds to run out of on a plan without them that goes on', async () => {
    const accounts = gateway.process.process.connect('gateway', contract.AccountServiceDefinition);
    const { apiKey } = await accounts.createAccount({ email: 'lead@example.org', plan: 'unlimited' });
    const { body } = await gateway.as(apiKey).call('GET', '/account');
    expect(body).toMatchObject({ plan: 'unlimited', free_seconds: 0, free_seconds_left: null });
  });

  it('is bounded by what the plan says of jobs, where that is, also for a file', async () => {
    const limits = { jobsInFlight: 3, mediaBytes: 1000, mediaSeconds: 60 };
    await gateway.submit();
    expect(gateway.services.created.at(-1)?.limits).toEqual(limits);
    const send = (bytes: number) => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)]), 'a.wav');
      return gateway.call('POST', '/transcriptions', { body: form });
    };
    expect((await send(1000)).status).toBe(202);
    expect(await send(1001)).toMatchObject({ status: 413, body: { code: 'media_too_large', detail: expect.stringContaining('1000 bytes') } });
  });

  it('is told by day, key and operation, each event counted once', async () => {
    const published = await gateway.process.publish(usage(1, '2026-03-01', 12_345, 'key_a'), usage(2, '2026-03-03', 10_000, 'key_b'), usage(3, '2026-03-03', 5, undefined));
    await eventually('the ledger to have them', async () => (await totalOf()) === 22.35);
    await gateway.process.republish(published.map((event) => ({ ...event, id: `${event.id}x` })));
    await gateway.process.publish(usage(4, '2026-03-31', 1000, 'key_a'));
    await eventually('the ledger to have the last', async () => (await totalOf()) === 23.35);
    const grouped = async (query: string) => (await gateway.call('GET', `/usage?${query}`)).body;
    expect(await grouped('from=2026-03-01T23:00:00%2B02:00&to=2026-03-03')).toEqual({
      data: [{ group: '2026-03-01', seconds: 12.345, requests: 1 }, { group: '2026-03-03', seconds: 10.005, requests: 2 }],
      total_seconds: 22.35,
    });
    expect(await grouped('from=2026-03-02&to=2026-03-31&group_by=key')).toEqual({
      data: [{ group: 'key_a', seconds: 1, requests: 1 }, { group: 'key_b', seconds: 10, requests: 1 }, { group: 'none', seconds: 0.005, requests: 1 }],
      total_seconds: 11.005,
    });
    expect(await grouped('from=2026-03-01&to=2026-03-31&group_by=operation')).toEqual({ data: [{ group: 'transcription', seconds: 23.35, requests: 4 }], total_seconds: 23.35 });
    expect((await gateway.call('GET', '/account')).body).toMatchObject({ free_seconds_left: 36.65 });
  });

  it('is refused where the question is wrong, or the key may not ask', async () => {
    for (const [query, pointer] of [['from=2026-02-30', '?from'], ['to=yesterday', '?to'], ['to=9999-12-31T23:59:59-14:00', '?to'], ['from=2026-03-02&to=2026-03-01', '?from'], ['from=2020-01-01&to=2026-01-01', '?from'], ['group_by=month', '?group_by'], ['since=1', '?since']]) {
      const { status, body } = await gateway.call<{ errors: { pointer: string }[] }>('GET', `/usage?${query}`);
      expect([query, status, body.errors.map((error) => error.pointer)]).toEqual([query, 422, [pointer]]);
    }
    const { apiKey } = await gateway.createKey(['transcriptions:read']);
    expect((await gateway.call('GET', '/usage', { headers: { authorization: `Bearer ${apiKey}` } })).status).toBe(403);
  });

  it('of all free seconds ends what the account can ask for, but not what it was promised', async () => {
    const before = await post({ 'idempotency-key': 'promised' });
    expect(before.status).toBe(202);
    const accounts = gateway.process.process.connect('gateway', contract.AccountServiceDefinition);
    const reserve = async (jobId: string) => (await accounts.reserveSeconds({ accountId: gateway.accountId, jobId, run: 1, seconds: 36.65 })).granted;
    const { job_id: held } = before.body as { job_id: string };
    expect([await reserve(held), await reserve('job_6'), await reserve(held)]).toEqual([true, false, true]);
    const refused = await post({ 'idempotency-key': 'refused' });
    expect([refused.status, refused.body]).toEqual([402, expect.objectContaining({ code: 'quota_exhausted', type: '/problems/quota_exhausted', retryable: false })]);
    const form = new FormData();
    form.append('file', new Blob(['not taken']), 'a.mp3');
    expect((await gateway.call('POST', '/transcriptions', { body: form })).status).toBe(402);
    expect((await post({ 'idempotency-key': 'promised' })).headers.get('idempotency-replayed')).toBe('true');

    // The job ends without having used what it held, and a refusal has not used up its key.
    await gateway.process.publish({ type: 'job.failed', data: events.JobEvent.fromPartial({ jobId: held, accountId: gateway.accountId }) });
    await eventually('the seconds to be free again', async () => (await post({ 'idempotency-key': 'refused' })).status === 202);
    await gateway.process.publish(usage(7, '2026-04-01', 36_650, 'key_a'));
    await eventually('the free seconds to be used', async () => (await gateway.call('GET', '/account')).body.free_seconds_left === 0);
    expect((await post()).status).toBe(402);
  });

  it('of all free seconds ends also what failed before: it was not billed, so a retry is as a new job', async () => {
    const [first, second] = [...gateway.services.jobs.keys()] as [string, string];
    gateway.services.change(first, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED }));
    const refused = await gateway.call('POST', `/transcriptions/${first}/retry`);
    expect([refused.status, refused.body]).toEqual([402, expect.objectContaining({ code: 'quota_exhausted' })]);
    expect(gateway.services.job(first).status).toBe(common.JobStatus.JOB_STATUS_FAILED);
    // What is wrong with the request itself is said first.
    expect(await gateway.call('POST', `/transcriptions/${second}/retry`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect((await gateway.call('POST', '/transcriptions/job_none/retry')).status).toBe(404);
  });
});
