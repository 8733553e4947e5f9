import { Inject, Injectable } from '@nestjs/common';
import { common, type EventData } from '@parlance/contracts';
import type { EventEnvelope } from '@parlance/event-bus';
import { JobMedia } from '../media/job-media.js';
import { Scheduler } from './schedule/scheduler.js';
import { stageMessage } from './state/job-events.js';
import type { JobInput } from './state/job-input.js';
import { JobStore } from './state/job-store.js';
import { STAGES } from './state/job.js';

type StageInput = Extract<JobInput, { type: 'stage_started' | 'stage_finished' }>;
type StageEvent = Pick<EventEnvelope<'stage.started'> | EventEnvelope<'stage.finished'>, 'type' | 'time' | 'data'>;

const FINISHED: Partial<Record<common.StageStatus, 'completed' | 'failed' | 'skipped'>> = {
  [common.StageStatus.STAGE_STATUS_COMPLETED]: 'completed',
  [common.StageStatus.STAGE_STATUS_FAILED]: 'failed',
  [common.StageStatus.STAGE_STATUS_SKIPPED]: 'skipped',
};

const UNEXPLAINED: common.Failure = { code: 'engine_failed', message: 'The engine reported no reason.', retryable: true };

/** Applies the reports of the other services to their jobs. */
@Injectable()
export class StageReports {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(Scheduler) private readonly scheduler: Pick<Scheduler, 'remove'>,
    @Inject(JobMedia) private readonly media: JobMedia,
  ) {}

  async chunkTranscribed({ jobId, run, index, total, warnings, ownSeconds }: EventData<'chunk.transcribed'>): Promise<void> {
    await this.jobs.apply(jobId, { type: 'chunk_done', run, index, total, warnings, ...(ownSeconds !== undefined && { ownSeconds }) });
  }

  async chunkFailed({ jobId, run, index, error = UNEXPLAINED }: EventData<'chunk.failed'>): Promise<void> {
    await this.jobs.apply(jobId, { type: 'chunk_failed', run, index, error });
  }

  async transcriptCompleted({ jobId, accountId, run, language, detectedLanguage, languageConfidence, engine, warnings }: EventData<'transcript.completed'>): Promise<void> {
    const detection = { ...(detectedLanguage !== undefined && { detectedLanguage }), ...(languageConfidence !== undefined && { languageConfidence }) };
    await this.jobs.apply(jobId, { type: 'transcript_completed', run, language, ...detection, engine, warnings });
    await this.scheduler.remove(accountId, { jobId, run });
  }

  async transcriptEdited({ jobId, revision }: EventData<'transcript.edited'>): Promise<void> {
    await this.jobs.apply(jobId, { type: 'transcript_edited', revision });
  }

  async stageChanged(event: StageEvent): Promise<void> {
    const report = stageReport(event);
    const { jobId, accountId } = event.data;
    const job = report && (await this.jobs.apply(jobId, report));
    // Read again: diarization may have been ordered since, and its audio is not to be removed. A job that was deleted since is erased apart.
    const current = job?.status === 'completed' ? await this.jobs.get(jobId) : undefined;
    if (current) await this.media.removeUnneeded({ jobId, accountId }, current);
  }

  async summaryFinished({ jobId, summaryId, error }: EventData<'summary.finished'>): Promise<void> {
    await this.jobs.apply(jobId, { type: 'summary_finished', summaryId, ...(error && { error }) });
  }
}

/** Returns the input of the job; undefined for a stage or status that this version does not know. */
function stageReport({ type, time, data }: StageEvent): StageInput | undefined {
  const stage = STAGES.find((name) => stageMessage(name) === data.stage);
  if (stage === undefined) return undefined;
  const { run, status: reported, error, warnings } = data as EventData<'stage.finished'>;
  const engine = data.engine === undefined ? {} : { engine: data.engine };
  if (type === 'stage.started') return { type: 'stage_started', run, stage, at: time, isWaiting: reported === common.StageStatus.STAGE_STATUS_PENDING, ...engine };
  const status = FINISHED[reported];
  return status && { type: 'stage_finished', run, stage, status, ...engine, ...(error && { error }), warnings };
}
