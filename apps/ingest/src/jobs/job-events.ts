import { common, events, type EventData, type EventType, type NewEvent } from '@parlance/contracts';
import type { Job, JobStatus, StageName, StageStatus } from './job.js';

export type JobEventType = Extract<EventType, `job.${string}`>;

/** Events that webhooks announce; these alone count in `sequence`. */
const ANNOUNCED: ReadonlySet<JobEventType> = new Set<JobEventType>([
  'job.started',
  'job.transcript_ready',
  'job.stage_failed',
  'job.completed',
  'job.failed',
  'job.canceled',
]);

export const statusMessage = (status: JobStatus): common.JobStatus => common.JobStatus[`JOB_STATUS_${upper(status)}`];
export const stageMessage = (stage: StageName): common.Stage => common.Stage[`STAGE_${upper(stage)}`];
export const stageStatusMessage = (status: StageStatus): common.StageStatus => common.StageStatus[`STAGE_STATUS_${upper(status)}`];

export interface Announcement {
  type: JobEventType;
  /** The stage that job.stage_failed is about. */
  stage?: StageName;
  erasureId?: string;
}

/** The job with its sequence moved on, and the events that say how it is now. */
export function announce(job: Job, announcements: readonly Announcement[], occurredAt: string): { job: Job; events: NewEvent[] } {
  let { sequence } = job;
  const announced = announcements.map((announcement): NewEvent => {
    const counts = ANNOUNCED.has(announcement.type);
    if (counts) sequence += 1;
    if (announcement.type === 'job.deleted') return { type: 'job.deleted', data: deletedEvent(job, announcement.erasureId, occurredAt) };
    return { type: announcement.type, data: jobEvent(job, announcement, counts ? sequence : 0, occurredAt) };
  });
  return { job: { ...job, sequence }, events: announced };
}

/** Nothing that the caller gave or that tells of the recording: the event outlives the job. */
function deletedEvent({ id, accountId, status, revision }: Job, erasureId: string | undefined, occurredAt: string): EventData<'job.deleted'> {
  return events.JobEvent.fromPartial({
    jobId: id,
    accountId,
    status: statusMessage(status),
    occurredAt: new Date(occurredAt),
    version: revision,
    ...(erasureId !== undefined && { erasureId }),
  });
}

function jobEvent(job: Job, { stage }: Announcement, sequence: number, occurredAt: string): EventData<JobEventType> {
  return {
    jobId: job.id,
    accountId: job.accountId,
    sequence,
    status: statusMessage(job.status),
    metadata: job.metadata,
    callbackUrl: job.callbackUrl,
    progress: progressMessage(job),
    error: stage === undefined ? job.error : job.stages[stage].error,
    stage: stage === undefined ? common.Stage.STAGE_UNSPECIFIED : stageMessage(stage),
    duration: job.media?.duration,
    occurredAt: new Date(occurredAt),
    version: job.revision,
    warnings: job.warnings,
    erasureId: undefined,
  };
}

export const progressMessage = ({ progress }: Job): common.Progress => ({
  percent: progress.percent,
  stage: stageMessage(progress.stage),
  etaSeconds: progress.etaSeconds,
});

const upper = <S extends string>(text: S): Uppercase<S> => text.toUpperCase() as Uppercase<S>;
