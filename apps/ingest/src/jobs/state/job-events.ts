import { common, events, isAnnounced, JOB_STATUS, STAGE, STAGE_STATUS, type EventData, type EventType, type NewEvent } from '@parlance/contracts';
import type { Job, JobStatus, StageName, StageStatus } from './job.js';

export type JobEventType = Extract<EventType, `job.${string}`>;

export const statusMessage = (status: JobStatus): common.JobStatus => JOB_STATUS[status];
export const stageMessage = (stage: StageName): common.Stage => STAGE[stage];
export const stageStatusMessage = (status: StageStatus): common.StageStatus => STAGE_STATUS[status];

export interface Announcement {
  type: JobEventType;
  /** The stage that job.stage_failed is about. */
  stage?: StageName;
  erasureId?: string;
  /** The summary that job.summary_completed and job.summary_failed are about. */
  summary?: { summaryId: string; error?: common.Failure };
}

/** The job with its sequence moved on, and the events that say how it is now. */
export function announce(job: Job, announcements: readonly Announcement[], occurredAt: string): { job: Job; events: NewEvent[] } {
  let { sequence } = job;
  const announced = announcements.map((announcement): NewEvent => {
    const counts = isAnnounced(announcement.type);
    if (counts) sequence += 1;
    if (announcement.type === 'job.deleted') return { type: 'job.deleted', data: deletedEvent(job, announcement.erasureId, occurredAt) };
    if (announcement.type === 'job.content_erased') return contentErasedEvent(job, occurredAt);
    return { type: announcement.type, data: jobEvent(job, announcement, counts ? sequence : 0, occurredAt) };
  });
  return { job: { ...job, sequence }, events: announced };
}

/** The part of a job that its `job.deleted` or `job.content_erased` shows. */
type JobThatWas = Pick<Job, 'id' | 'accountId' | 'status' | 'revision' | 'bills' | 'isSealed'> & { run: number | undefined };

/** Contains nothing that the caller gave and nothing about the recording: the event outlives the job. */
export function deletedEvent({ id, accountId, status, revision, run, bills, isSealed }: JobThatWas, erasureId: string | undefined, occurredAt: string): EventData<'job.deleted'> {
  return events.JobEvent.fromPartial({
    jobId: id,
    accountId,
    status: statusMessage(status),
    occurredAt: new Date(occurredAt),
    version: revision,
    ...(run !== undefined && { run }),
    billed: isBilled({ run, bills }),
    ...(erasureId !== undefined && { erasureId }),
    ...(isSealed && { sealed: true }),
  });
}

/** Published again when the erasure was not reported. */
export const contentErasedEvent = (job: Job, occurredAt: string): NewEvent => ({ type: 'job.content_erased', data: deletedEvent(job, undefined, occurredAt) });

function jobEvent(job: Job, { type, stage, summary }: Announcement, sequence: number, occurredAt: string): EventData<JobEventType> {
  return {
    jobId: job.id,
    accountId: job.accountId,
    sequence,
    status: statusMessage(job.status),
    metadata: job.metadata,
    callbackUrl: job.callbackUrl,
    sealedCallbackHeaders: sequence > 0 ? job.sealedCallbackHeaders : undefined,
    callbackInclude: sequence > 0 && job.callbackInclude ? { names: job.callbackInclude } : undefined,
    progress: progressMessage(job),
    error: errorOf(job, stage, summary),
    stage: stage === undefined ? common.Stage.STAGE_UNSPECIFIED : stageMessage(stage),
    duration: job.media?.duration,
    occurredAt: new Date(occurredAt),
    version: job.revision,
    warnings: job.warnings,
    erasureId: undefined,
    run: job.run,
    billed: isBilled(job),
    revision: type === 'job.transcript_edited' ? job.transcriptRevision : undefined,
    summaryId: summary?.summaryId,
    batchId: job.batchId,
    projectId: job.projectId,
    sealed: job.isSealed,
  };
}

function errorOf(job: Job, stage: StageName | undefined, summary: Announcement['summary']): common.Failure | undefined {
  if (summary) return summary.error;
  return stage === undefined ? job.error : job.stages[stage].error;
}

/** A retry reserves seconds of its own, which the bill of an earlier run does not use. */
const isBilled = ({ run, bills = [] }: Pick<JobThatWas, 'run' | 'bills'>): boolean => bills.some((bill) => run === undefined || bill.run === run);

export const progressMessage = ({ progress }: Job): common.Progress => ({
  percent: progress.percent,
  stage: progress.stage ? stageMessage(progress.stage) : common.Stage.STAGE_UNSPECIFIED,
  etaSeconds: progress.etaSeconds,
});
