import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common, mediaKeys } from '@parlance/contracts';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase } from '@parlance/storage';
import { JobMedia } from '../media/job-media.js';
import { StageReports } from './stage-reports.js';
import { mediaReady, NOON, TRANSCRIPT_ONLY, transcribed } from './state/job.fixture.js';
import { JobStore } from './state/job-store.js';
import { createJob } from './state/new-job.js';

describe('the report of the last stage of a job', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let jobs: JobStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-reports-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
    jobs = new JobStore(documents, systemClock, () => undefined);
    await jobs.insertIfAbsent(createJob({ jobId: 'job_1', accountId: 'acc_1', source: { kind: 'url', url: 'https://media.example/a.mp3', fetched: false }, options: TRANSCRIPT_ONLY }, NOON));
    for (const input of [{ type: 'started', run: 1 } as const, mediaReady(), transcribed()]) await jobs.apply('job_1', input);
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const diarization = common.DiarizationOptions.fromPartial({ enabled: true });

  it.each([
    ['removes the decoded audio', async () => undefined, false],
    ['keeps the decoded audio where diarization is ordered meanwhile', () => jobs.apply('job_1', { type: 'order_add_ons', diarization }), true],
  ])('%s', async (_what, meanwhile, isKept) => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    const audio = mediaKeys('acc_1', 'job_1').audio(0);
    await media.put(audio, new Blob(['x']).stream());
    const store = {
      get: (id: string) => jobs.get(id),
      apply: async (...input: Parameters<JobStore['apply']>) => {
        const job = await jobs.apply(...input);
        await meanwhile();
        return job;
      },
    };
    const reports = new StageReports(store as JobStore, { remove: async () => {} }, new JobMedia(media));
    const data = { jobId: 'job_1', accountId: 'acc_1', run: 1, stage: common.Stage.STAGE_SEARCH, status: common.StageStatus.STAGE_STATUS_COMPLETED, warnings: [] };
    await reports.stageChanged({ type: 'stage.finished', time: NOON, data } as unknown as Parameters<StageReports['stageChanged']>[0]);
    expect((await jobs.get('job_1'))?.status).toBe('completed');
    expect((await media.head(audio)) !== undefined).toBe(isKept);
  });
});
