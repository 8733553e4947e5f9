import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { Admission } from '../jobs/admission/admission.js';
import { ErasureStore } from '../jobs/erasure/erasure-store.js';
import { readErasureLines } from '../jobs/erasure/erasure-lines.js';
import { JobRequests } from '../jobs/job-requests.js';
import { EVERYTHING } from '../jobs/state/job.fixture.js';
import { JobStore } from '../jobs/state/job-store.js';
import { AccountErasures } from './account-erasures.js';
import { AccountHolds } from './account-holds.js';

const REQUESTED = '2026-03-01T09:30:00.000Z';

describe('the jobs of an account', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let now: Date;
  let parts: { requests: JobRequests; holds: AccountHolds; erasures: AccountErasures; store: ErasureStore; admission: Admission };
  const clock = { now: () => now };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-account-'));
    now = new Date('2026-03-01T10:00:00.000Z');
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), log: silentLogger(), source: 'ingest' });
    const jobs = new JobStore(documents, clock, () => {});
    const store = new ErasureStore(documents, clock);
    const admission = new Admission(documents, jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: 0 }, clock);
    const holds = new AccountHolds(documents, clock);
    const requests = new JobRequests(jobs, store, admission, clock, holds, { note: async () => {} });
    const erasures = new AccountErasures(documents, jobs, requests, store, admission, holds, null, { ERASURE_LOG: join(folder, 'erasures') }, clock);
    parts = { requests, holds, erasures, store, admission };
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const create = (jobId: string, accountId = 'acc_1') => parts.requests.create({ jobId, accountId, source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options: EVERYTHING });
  const hold = { reason: 'case 7' };

  it('are refused from the moment that it is closed, whether or not it has a limit, until it is opened again', async () => {
    await create('job_1');
    await parts.admission.close('acc_1');
    await expect(create('job_2')).rejects.toMatchObject({ code: 'account_deletion_scheduled' });
    expect(await create('job_1')).toMatchObject({ id: 'job_1' });
    await create('job_3', 'acc_2');
    await parts.admission.reopen('acc_1');
    expect(await create('job_2')).toMatchObject({ id: 'job_2' });
  });

  it('are left while a service has not reported, and their receipts are summed on that of the account', async () => {
    for (const jobId of ['job_1', 'job_2']) await create(jobId);
    await create('job_3', 'acc_2');
    await parts.erasures.begin('era_a', 'acc_1', REQUESTED, [{ what: 'api_keys', where: 'gateway', count: 1 }]);
    expect(await parts.erasures.eraseJobs('acc_1')).toBeGreaterThan(0);
    // Places that were taken a moment ago count as well: their jobs may still be made.
    now = new Date('2026-03-01T11:00:00.000Z');
    expect(await parts.erasures.eraseJobs('acc_1')).toBe(2);
    for (const id of ['era_1', 'era_2']) {
      for (const where of ['gateway', 'ingest', 'transcription', 'diarization', 'summary', 'search', 'webhook-dispatcher']) await parts.store.report(id, { what: 'data', where, when: REQUESTED, count: 1 });
    }
    expect(await parts.erasures.eraseJobs('acc_1')).toBe(0);
    const receipt = await parts.erasures.complete('era_a');
    expect(receipt).toMatchObject({ accountId: 'acc_1', createdAt: REQUESTED, completedAt: expect.any(String) });
    expect(receipt.items).toEqual(expect.arrayContaining([{ what: 'api_keys', where: 'gateway', count: 1 }, { what: 'jobs', where: 'ingest', count: 2 }, { what: 'data', where: 'search', count: 2 }]));
    expect(await parts.erasures.complete('era_a')).toEqual(receipt);
    expect(await readErasureLines(join(folder, 'erasures'))).toEqual([{ accountErasureId: 'era_a', accountId: 'acc_1', erasedAt: receipt.completedAt }]);
    await expect(create('job_4')).rejects.toMatchObject({ code: 'account_deletion_scheduled' });
    expect(await parts.requests.get('acc_2', 'job_3')).toMatchObject({ id: 'job_3' });
  });

  it('are not erased while the account or one of them is held, and are once the hold has ended', async () => {
    await create('job_1');
    await parts.requests.hold('acc_1', 'job_1', { ...hold, until: '2026-03-02T10:00:00.000Z' });
    await expect(parts.requests.delete('acc_1', 'job_1')).rejects.toMatchObject({ code: 'legal_hold' });
    await expect(parts.erasures.requireNoHold('acc_1')).rejects.toMatchObject({ code: 'legal_hold' });
    now = new Date('2026-03-02T10:00:00.000Z');
    await parts.erasures.requireNoHold('acc_1');
    await parts.holds.set('acc_1', hold);
    await expect(parts.requests.delete('acc_1', 'job_1')).rejects.toMatchObject({ code: 'legal_hold' });
    await parts.holds.lift('acc_1', false);
    expect(await parts.requests.delete('acc_1', 'job_1')).toBe('era_1');
  });

  it('under a hold of the operator are released by the operator alone', async () => {
    await create('job_1');
    await parts.requests.hold('acc_1', 'job_1', { ...hold, byOperator: true });
    await parts.holds.set('acc_1', { ...hold, byOperator: true });
    for (const change of [parts.requests.hold('acc_1', 'job_1', hold), parts.requests.liftHold('acc_1', 'job_1', false), parts.holds.set('acc_1', hold), parts.holds.lift('acc_1', false)]) await expect(change).rejects.toMatchObject({ code: 'legal_hold' });
    await parts.requests.liftHold('acc_1', 'job_1', true);
    await parts.holds.lift('acc_1', true);
    await parts.requests.delete('acc_1', 'job_1');
  });
});
