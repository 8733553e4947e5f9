import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common, events } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type Document, type DocumentDatabase } from '@parlance/storage';
import { UnavailableStages } from './unavailable-stages.js';

type StageReport = Document & { jobId: string };

const { STAGE_SUMMARY, STAGE_HIGHLIGHTS, STAGE_SEARCH } = common.Stage;
const job = { jobId: 'job_1', accountId: 'acc_1', run: 1 };

describe('a service without an engine', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let stages: UnavailableStages;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-stages-'));
    const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'summary' };
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, dependencies);
    stages = new UnavailableStages({
      service: 'summary',
      documents,
      clock: systemClock,
      holds: 'summaries',
      stages: [
        { stage: STAGE_SUMMARY, wanted: (options) => options?.summary?.enabled ?? false, message: 'No summary engine.' },
        { stage: STAGE_HIGHLIGHTS, wanted: (options) => options?.highlights ?? false, message: 'No highlights engine.' },
      ],
    });
  });

  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const published = async () => (await documents.outbox.pending(100)).flatMap(({ events }) => events);
  const finished = async () => (await published()).filter(({ type }) => type === 'stage.finished').map(({ data }) => data as events.StageEvent);
  const options = (fields: Partial<common.JobOptions>) => common.JobOptions.fromPartial(fields);
  const deleted = () => events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1', erasureId: 'era_1' });

  it('skips the stages the job asked for, with the reason, and no others', async () => {
    await stages.inputReady({ ...job, options: options({ highlights: true, summary: { enabled: false } }) });
    expect(await finished()).toEqual([
      {
        ...job,
        stage: STAGE_HIGHLIGHTS,
        status: common.StageStatus.STAGE_STATUS_SKIPPED,
        error: { code: 'stage_unavailable', message: 'No highlights engine.', retryable: false },
        warnings: [],
      },
    ]);
  });

  it('answers once a run, however often it is told', async () => {
    const event = { ...job, options: options({ highlights: true }) };
    await stages.inputReady(event);
    await stages.inputReady(event);
    await stages.inputReady({ ...event, run: 2 });
    expect((await finished()).map(({ run }) => run)).toEqual([1, 2]);
  });

  it("answers a retry of its own stage and leaves other services' alone", async () => {
    await stages.requested({ ...job, run: 2, stage: STAGE_SUMMARY });
    await stages.requested({ ...job, run: 2, stage: STAGE_SEARCH });
    expect((await finished()).map(({ stage }) => stage)).toEqual([STAGE_SUMMARY]);
  });

  it('reports an erasure once, and answers nothing for the job afterwards', async () => {
    await stages.inputReady({ ...job, options: options({ highlights: true }) });
    await stages.jobDeleted(deleted());
    await stages.jobDeleted(deleted());
    await stages.requested({ ...job, run: 2, stage: STAGE_SUMMARY });
    const reports = (await published()).filter(({ type }) => type === 'erasure.reported');
    expect(reports.map(({ data }) => data)).toMatchObject([{ erasureId: 'era_1', what: 'summaries', where: 'summary', count: 0 }]);
    expect(await finished()).toHaveLength(1);
  });

  it('keeps nothing of a job that is deleted between its look for the deletion and its write', async () => {
    const reports = documents.collection<StageReport>({ name: 'stage_reports', indexes: [{ fields: ['jobId'] }] });
    const write = reports.update.bind(reports);
    reports.update = async (...change) => {
      await stages.jobDeleted(deleted());
      return write(...change);
    };
    await stages.inputReady({ ...job, options: options({ highlights: true }) });
    expect(await reports.count({ jobId: 'job_1' })).toBe(0);
  });
});
