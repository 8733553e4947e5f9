import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common, events, ingest } from '@parlance/contracts';
import { createMetrics, notFound, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { JobErasures, RunningTasks } from '@parlance/runtime';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import type { TranscriptSource } from '../transcripts/transcript-source.js';
import { StageReports } from './stage-reports.js';
import { TranscriptWork, type TranscriptWorkParts } from './transcript-work.js';
import { HIGHLIGHTS, type HighlightsDocument } from './work-document.js';
import { WorkMetrics } from './work-metrics.js';

const KEY = { id: 'job_1', jobId: 'job_1', accountId: 'acc_1', run: 1 };
const never = new AbortController().signal;

const shared = (): Pick<TranscriptWorkParts<HighlightsDocument>, 'name' | 'create' | 'keepUp' | 'timeoutMs' | 'metrics' | 'clock' | 'log'> => ({
  name: 'highlights',
  timeoutMs: 60_000,
  create: ({ id, jobId, accountId }, createdAt) => ({ id, createdAt, jobId, accountId, status: 'pending', run: 0, endedRun: 0 }),
  keepUp: async () => {},
  metrics: new WorkMetrics(createMetrics()),
  clock: systemClock,
  log: silentLogger(),
});

describe('work on a transcript', () => {
  let folder: string;
  let documents: DocumentDatabase;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-work-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'summary.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'summary' });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  it('that no stage asked for says when it was stopped with its job', async () => {
    const highlights = documents.collection<HighlightsDocument>(HIGHLIGHTS);
    const running = new RunningTasks();
    const source = {
      job: async () => ingest.Job.fromPartial({ jobId: 'job_1', accountId: 'acc_1' }),
      read: async () => ({ language: 'en', duration: 1, speakers: [], lines: [{ segmentId: 'seg_000001', start: 0, end: 1, text: 'Hello.' }], recordedAt: new Date(0) }),
    } as unknown as TranscriptSource;
    const make = async (signal: AbortSignal): Promise<never> => {
      running.stop('job_1');
      throw signal.reason;
    };
    const holdings = { what: 'summaries', count: async () => 0, remove: async () => {} };
    const work = new TranscriptWork<HighlightsDocument>({
      ...shared(),
      documents: highlights,
      make: (_transcript, _document, signal) => make(signal),
      reports: new StageReports(undefined, 'extractive'),
      source,
      erasures: new JobErasures('summary', documents, holdings, systemClock),
      running,
    });
    await work.perform(KEY, never);
    expect((await highlights.get('job_1'))?.document).toMatchObject({ status: 'failed', endedRun: 1, error: { code: 'canceled' } });
  });

  it('that takes too long fails by a code that the job’s owner is told', async () => {
    const highlights = documents.collection<HighlightsDocument>(HIGHLIGHTS);
    const source = {
      job: async () => ingest.Job.fromPartial({ jobId: 'job_1', accountId: 'acc_1' }),
      read: async () => ({ language: 'en', duration: 1, speakers: [], lines: [{ segmentId: 'seg_000001', start: 0, end: 1, text: 'Hello.' }], recordedAt: new Date(0) }),
    } as unknown as TranscriptSource;
    const holdings = { what: 'summaries', count: async () => 0, remove: async () => {} };
    const work = new TranscriptWork<HighlightsDocument>({
      ...shared(),
      timeoutMs: 1,
      documents: highlights,
      make: (_transcript, _document, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      reports: new StageReports(common.Stage.STAGE_HIGHLIGHTS, 'extractive'),
      source,
      erasures: new JobErasures('summary', documents, holdings, systemClock),
      running: new RunningTasks(),
    });
    const thrown: unknown = await work.perform(KEY, never).catch((error: unknown) => error);
    await work.giveUp(KEY, thrown);
    const error = { code: 'engine_timeout', message: 'Making the highlights took too long.', retryable: true };
    expect((await highlights.get('job_1'))?.document).toMatchObject({ status: 'failed', endedRun: 1, error });
  });

  it('that begins while its job is erased leaves nothing', async () => {
    const highlights = documents.collection<HighlightsDocument>(HIGHLIGHTS);
    const holdings = { what: 'summaries', count: () => highlights.count({ jobId: 'job_1' }), remove: async () => void (await highlights.removeWhere({ jobId: 'job_1' })) };
    const erasures = new JobErasures('summary', documents, holdings, systemClock);
    const source = {
      job: async () => {
        await erasures.erase(events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1' }));
        return ingest.Job.fromPartial({ jobId: 'job_1', accountId: 'acc_1' });
      },
      read: () => Promise.reject(notFound('The transcript')),
    } as unknown as TranscriptSource;
    const work = new TranscriptWork<HighlightsDocument>({
      ...shared(),
      documents: highlights,
      make: () => Promise.reject(new Error('There is nothing to make it of.')),
      reports: new StageReports(common.Stage.STAGE_HIGHLIGHTS, 'extractive'),
      source,
      erasures,
      running: new RunningTasks(),
    });
    await work.perform(KEY, never);
    expect(await highlights.count({ jobId: 'job_1' })).toBe(0);
  });
});
