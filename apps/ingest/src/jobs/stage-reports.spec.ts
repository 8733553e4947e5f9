import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common, mediaKeys } from '@parlance/contracts';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase, type MediaStore } from '@parlance/storage';
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
    const reports = new StageReports(store as JobStore, { remove: async () => {} }, new JobMedia(media, jobs));
    const data = { jobId: 'job_1', accountId: 'acc_1', run: 1, stage: common.Stage.STAGE_SEARCH, status: common.StageStatus.STAGE_STATUS_COMPLETED, warnings: [] };
    await reports.stageChanged({ type: 'stage.finished', time: NOON, data } as unknown as Parameters<StageReports['stageChanged']>[0]);
    expect((await jobs.get('job_1'))?.status).toBe('completed');
    expect((await media.head(audio)) !== undefined).toBe(isKept);
  });

  it.each([
    ['has the audio decoded again where diarization is ordered while it is removed', true, { run: 3, awaitsAudio: true }],
    ['leaves diarization that is ordered meanwhile alone where no audio was left to remove', false, { run: 2 }],
  ])('%s', async (_what, hasAudio, expected) => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    if (hasAudio) await media.put(mediaKeys('acc_1', 'job_1').audio(0), new Blob(['x']).stream());
    await jobs.apply('job_1', { type: 'stage_finished', run: 1, stage: 'search', status: 'completed', warnings: [] });
    const removePrefix = async (prefix: string) => {
      const ordered = await jobs.apply('job_1', { type: 'order_add_ons', diarization });
      // Ingest finds the audio before it is gone, and diarization begins with it.
      await jobs.apply('job_1', { type: 'audio_ready', run: ordered?.run ?? 0 });
      return media.removePrefix(prefix);
    };
    const removing = new JobMedia({ ...media, removePrefix } as MediaStore, jobs);
    await removing.removeUnneeded({ accountId: 'acc_1', jobId: 'job_1' }, await jobs.get('job_1'));
    expect(await jobs.get('job_1')).toMatchObject({ ...expected, stages: { diarization: { status: 'pending' } } });
  });

  it('leaves diarization alone that is retried after its audio was kept for it', async () => {
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    await media.put(mediaKeys('acc_1', 'job_1').audio(0), new Blob(['x']).stream());
    const ended = { stage: 'diarization', status: 'failed', error: common.Failure.fromPartial({ code: 'engine_failed' }), warnings: [] } as const;
    await jobs.apply('job_1', { type: 'stage_finished', run: 1, stage: 'search', status: 'completed', warnings: [] });
    const { run = 0 } = (await jobs.apply('job_1', { type: 'order_add_ons', diarization })) ?? {};
    await jobs.apply('job_1', { type: 'audio_ready', run });
    const before = await jobs.get('job_1');
    await jobs.apply('job_1', { type: 'stage_finished', run, ...ended });
    await jobs.apply('job_1', { type: 'retry' });
    await new JobMedia(media, jobs).removeUnneeded({ accountId: 'acc_1', jobId: 'job_1' }, before);
    expect((await jobs.get('job_1'))?.run).toBe(run + 1);
  });
});
