import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { events } from '@parlance/contracts';
import { UsageLedger } from '@parlance/gateway/usage';
import { jobCollection, usageIdOf, type DeletedJob, type Job } from '@parlance/ingest/jobs';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { checkLedger, type LedgerCheckOptions, type LedgerSources } from './ledger-check.js';

const LONG_AGO = '2026-01-01T00:00:00.000Z';

let folder: string;
let databases: DocumentDatabase[];
let sources: LedgerSources;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-ledger-'));
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'test' };
  databases = await Promise.all(['gateway', 'ingest'].map((name) => openDocumentDatabase(`sqlite:${join(folder, `${name}.db`)}`, dependencies)));
  const [gateway, ingest] = databases as [DocumentDatabase, DocumentDatabase];
  sources = { ledger: new UsageLedger(gateway), jobs: ingest.collection(jobCollection), clock: systemClock };
});
afterEach(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await rm(folder, { recursive: true });
});

const check = (options: Partial<LedgerCheckOptions> = {}) => checkLedger(sources, { graceMs: 60_000, ...options });
const faults = async (options?: Partial<LedgerCheckOptions>) => (await check(options)).faults.map(({ fault, id }) => `${fault} ${id}`);

async function billedJob(id: string, milliseconds: number, { billedAt = LONG_AGO, accountId = 'acc_1' } = {}): Promise<void> {
  const job = {
    id, accountId, createdAt: LONG_AGO, status: 'completed', media: { duration: milliseconds / 1000 }, chunks: { total: 1, count: 1 },
    stages: { transcription: { status: 'completed' } }, billedSeconds: milliseconds / 1000, bills: [{ run: 1, milliseconds, billedAt }],
  };
  await sources.jobs.insert(job as unknown as Job);
}

const record = (jobId: string, milliseconds: number, accountId = 'acc_1') =>
  sources.ledger.record(events.UsageRecorded.fromPartial({ usageId: usageIdOf(jobId, 1), jobId, accountId, run: 1, operation: 'transcription', milliseconds, day: '2026-01-01', occurredAt: new Date(LONG_AGO) }));

describe('the proof of the ledger', () => {
  it('holds when every billed job has its entry, also one that was erased, and sums are those of the entries', async () => {
    for (const [id, milliseconds] of [['job_1', 1000], ['job_2', 2001]] as const) {
      await billedJob(id, milliseconds);
      await record(id, milliseconds);
    }
    const erased: DeletedJob = { id: 'job_3', createdAt: LONG_AGO, deletedAt: LONG_AGO, erasureId: 'era_3', status: 'deleted', bills: [{ run: 1, milliseconds: 5, billedAt: LONG_AGO }] };
    await sources.jobs.insert(erased);
    await record('job_3', 5);
    expect(await check()).toEqual({ jobs: 3, requests: 3, milliseconds: 3006, pending: 0, faults: [] });
    expect(await check({ account: 'acc_2' })).toEqual({ jobs: 0, requests: 0, milliseconds: 0, pending: 0, faults: [] });
  });

  it('looks at failed jobs too, of which only decoding is billed, and not always', async () => {
    const failed = (id: string, milliseconds?: number) => {
      const bills = milliseconds === undefined ? {} : { billedSeconds: milliseconds / 1000, bills: [{ run: 1, milliseconds, billedAt: LONG_AGO }] };
      const job = { id, accountId: 'acc_1', createdAt: LONG_AGO, status: 'failed', decodedMilliseconds: 90_000, chunks: { total: 0, count: 0 }, stages: { transcription: { status: 'canceled' } }, ...bills };
      return sources.jobs.insert(job as unknown as Job);
    };
    await failed('job_unbilled');
    await failed('job_billed', 90_000);
    await record('job_billed', 90_000);
    expect(await check()).toEqual({ jobs: 1, requests: 1, milliseconds: 90_000, pending: 0, faults: [] });
    await failed('job_missing', 90_000);
    expect(await faults()).toEqual(['missing use_missing_1']);
  });

  it('finds each way in which it can be wrong', async () => {
    await billedJob('job_missing', 1000);
    await billedJob('job_different', 1000);
    await record('job_different', 1001);
    await record('job_unknown', 7, 'acc_2');
    await billedJob('job_twice', 1000);
    await sources.jobs.update('job_twice', (job) => ({ document: { ...(job as Job), billedSeconds: 2 } }));
    await record('job_twice', 1000);
    await sources.ledger.balances.update('acc_1', (balance) => ({ document: { ...(balance as NonNullable<typeof balance>), milliseconds: 1 } }));
    await sources.ledger.days.update('acc_2/2026-01-01', (day) => ({ document: { ...(day as NonNullable<typeof day>), requests: 2 } }));
    expect((await faults()).toSorted()).toEqual(['different use_different_1', 'misbilled job_twice', 'missing use_missing_1', 'sum acc_1', 'sum acc_2/2026-01-01', 'unproved use_unknown_1']);
    expect((await faults({ account: 'acc_2' })).toSorted()).toEqual(['sum acc_2/2026-01-01', 'unproved use_unknown_1']);
  });

  it('waits for an entry that may be on its way', async () => {
    await billedJob('job_1', 1000, { billedAt: systemClock.now().toISOString() });
    expect(await check()).toMatchObject({ jobs: 1, pending: 1, faults: [] });
    expect(await faults({ graceMs: 0 })).toEqual(['missing use_1_1']);
  });
});
