import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, mediaBombs, MediaFiles, NO_ADD_ONS, noise, runAdmin, SAMPLES, type JobAnswer, type Parlance, type TestApi } from '@parlance/testing';
import { product } from './product.js';

interface Usage {
  data: { group: string; seconds: number; requests: number }[];
  total_seconds: number;
}

const billedOf = (job: JobAnswer) => (job.usage as { billed_seconds: number } | undefined)?.billed_seconds ?? 0;
const usageOf = (api: TestApi, groupBy = 'day') => api.json<Usage>(`/usage?group_by=${groupBy}`);
const accountOf = (api: TestApi) => api.json<{ plan: string; free_seconds: number; free_seconds_left: number }>('/account');
/** The ledger adds an entry to the sum of its day, then to that of its account. */
const untilUsedUp = (api: TestApi) => eventually('the free time to be used up', async () => (await accountOf(api)).free_seconds_left === 0);
const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

describe('what an account uses', () => {
  let parlance: Parlance;
  beforeAll(async () => {
    parlance = await product();
  });

  it('is the length of what was transcribed, once; after its free time an account is told to pay, and the operator’s own goes on', async () => {
    const api = await parlance.newAccount();
    expect(await accountOf(api)).toMatchObject({ plan: 'tiny', free_seconds: 6, free_seconds_left: 6 });
    const jobId = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    const job = await api.terminal(jobId);
    const { duration } = job.media as { duration: number };
    expect([job.status, billedOf(job)]).toEqual(['completed', duration]);
    await eventually('the ledger to have it', async () => (await usageOf(api)).total_seconds === duration);
    expect((await usageOf(api)).data).toEqual([{ group: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), seconds: duration, requests: 1 }]);
    expect((await usageOf(api, 'key')).data).toEqual([{ group: expect.stringMatching(/^key_/), seconds: duration, requests: 1 }]);
    await untilUsedUp(api);

    const refused = await api.tryUpload(SAMPLES.reading.path);
    expect([refused.status, await codeOf(refused)]).toEqual([402, 'quota_exhausted']);
    await api.delete(jobId);
    await eventually('the job to be gone', async () => (await api.request('GET', `/transcriptions/${jobId}`)).status === 404);
    expect((await usageOf(api)).total_seconds).toBe(duration);

    expect(await accountOf(parlance.api)).toMatchObject({ plan: 'unlimited' });
    const own = await parlance.api.terminal(await parlance.api.upload(SAMPLES.reading.path, NO_ADD_ONS));
    expect([own.status, billedOf(own)]).toEqual(['completed', duration]);
  });

  it('is what was decoded of a job that is canceled, also while it is decoded', async () => {
    await using files = await MediaFiles.create();
    const api = await parlance.newAccount();
    const jobId = await api.upload(await files.make('long.flac', ...noise(250)));
    // Fetching, of which an upload needs none, is three of the ten per cent.
    await eventually('some of it to be decoded', async () => (await api.job(jobId)).progress.percent > 3);
    await api.cancel(jobId);
    const billed = billedOf(await api.job(jobId));
    expect(billed).toBeGreaterThan(0);
    await eventually('the ledger to have it', async () => (await usageOf(api)).total_seconds === billed);
    // It fails where jobs and ledger differ.
    await runAdmin(parlance.settings, 'ledger', 'check');
  });

  it('is what was decoded of media that is broken, and nothing where that was soon seen', async () => {
    await using files = await MediaFiles.create();
    const [api, other] = await Promise.all([parlance.newAccount(), parlance.newAccount()]);
    const bomb = (await mediaBombs(files)).find(({ kind }) => kind === 'unstated gap');
    const jobId = await api.upload(bomb?.path ?? '');
    const broken = await other.terminal(await other.upload(await files.write('text.wav', 'no sound')));
    expect([broken.error?.code, billedOf(broken)]).toEqual(['media_unsupported', 0]);

    const job = await api.terminal(jobId);
    expect(job.error?.code).toBe('media_too_long');
    const billed = billedOf(job);
    expect(billed).toBeGreaterThan(60);
    await eventually('the ledger to have it', async () => (await usageOf(api)).total_seconds === billed);
    await untilUsedUp(api);
    const refused = await api.tryUpload(SAMPLES.reading.path);
    expect([refused.status, await codeOf(refused)]).toEqual([402, 'quota_exhausted']);
    expect([(await usageOf(other)).total_seconds, await accountOf(other)]).toMatchObject([0, { free_seconds_left: 6 }]);
    await runAdmin(parlance.settings, 'ledger', 'check');
  });

  it('exceeds its free time by one recording at most, however many are sent at once', async () => {
    const api = await parlance.newAccount();
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.tryUpload(SAMPLES.reading.path, NO_ADD_ONS)));
    const accepted = await Promise.all(answers.filter(({ status }) => status === 202).map(async (answer) => ((await answer.json()) as { job_id: string }).job_id));
    const jobs = await Promise.all(accepted.map((jobId) => api.terminal(jobId)));
    const [done, ...more] = jobs.filter(({ status }) => status === 'completed');
    expect(more).toEqual([]);
    for (const job of jobs.filter((job) => job !== done)) expect(job).toMatchObject({ status: 'failed', error: { code: 'quota_exhausted' } });
    await eventually('the ledger to have it', async () => (await usageOf(api)).total_seconds === billedOf(done as JobAnswer));
  });

  it('is proved by the operators’ command', async () => {
    const admin = async (...args: string[]) => JSON.parse(await runAdmin(parlance.settings, ...args, '--json')) as never;
    await eventually('no entry to be under way', async () => (await admin('ledger', 'check') as { pending: number }).pending === 0);
    expect(await admin('ledger', 'check')).toMatchObject({ ok: true, jobs: 5, entries: 5, faults: [] });
    expect(await admin('ledger', 'show', '--limit', '2')).toHaveLength(2);
    expect((await admin('plans', 'list') as { name: string }[]).map(({ name }) => name)).toContain('tiny');
  });

  it('is bounded by the monthly budget of a key, which can be changed', async () => {
    const { api } = parlance;
    const key = (await (await api.post('/keys', { name: 'small', monthly_seconds: 1 })).json()) as { key_id: string; api_key: string };
    const own = api.as(key.api_key);
    const answers = await Promise.all(Array.from({ length: 4 }, () => own.tryUpload(SAMPLES.reading.path, NO_ADD_ONS)));
    const accepted = await Promise.all(answers.filter(({ status }) => status === 202).map(async (answer) => ((await answer.json()) as { job_id: string }).job_id));
    const jobs = await Promise.all(accepted.map((jobId) => own.terminal(jobId)));
    const done = jobs.filter(({ status }) => status === 'completed');
    expect(done).toHaveLength(1);
    for (const job of jobs.filter((job) => !done.includes(job))) expect(job).toMatchObject({ status: 'failed', error: { code: 'key_budget_exhausted' } });
    const ofKey = () => api.json<{ monthly_seconds?: number; used_seconds?: number }>(`/keys/${key.key_id}`);
    await eventually('the ledger to have it', async () => (await ofKey()).used_seconds === billedOf(done[0] as JobAnswer));
    const refused = await own.tryUpload(SAMPLES.reading.path, NO_ADD_ONS);
    expect([refused.status, await codeOf(refused)]).toEqual([402, 'key_budget_exhausted']);
    const failed = jobs.find(({ status }) => status === 'failed')?.job_id;
    const retried = (by: TestApi) => by.request('POST', `/transcriptions/${failed}/retry?force=true`);
    if (failed !== undefined) expect(await codeOf(await retried(own))).toBe('key_budget_exhausted');
    expect((await api.request('PATCH', `/keys/${key.key_id}`, { body: JSON.stringify({ monthly_seconds: null }), headers: { 'content-type': 'application/json' } })).status).toBe(200);
    expect(await ofKey()).not.toHaveProperty('monthly_seconds');
    expect((await own.tryUpload(SAMPLES.reading.path, NO_ADD_ONS)).status).toBe(202);
    if (failed === undefined) return;
    expect((await retried(own)).status).toBe(202);
    expect((await own.terminal(failed)).status).toBe('completed');
  });
});
