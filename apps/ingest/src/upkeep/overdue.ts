import type { JobInput } from '../jobs/job-input.js';
import { ADD_ONS, isOpenStage, type AddOn, type Job } from '../jobs/job.js';

/** Milliseconds. */
export interface Deadlines {
  /** An add-on stage from its start, or from when it could have started. */
  stageMs: number;
  /** A job from its last change. */
  stallMs: number;
}

/** What has to be told to a job that waits for reports in vain. Times in milliseconds since the epoch. */
export function overdue(job: Job, { now, awakeSince }: { now: number; awakeSince: number }, deadlines: Deadlines): JobInput[] {
  const isLate = (since: string | undefined, limit: number) =>
    since !== undefined && now - Math.max(Date.parse(since), awakeSince) >= limit;
  const { run } = job;
  if (job.stages.transcription.status === 'completed') {
    const message = `The stage reported nothing for ${Math.round(deadlines.stageMs / 60_000)} minutes.`;
    const error = { code: 'stage_timeout', message, retryable: true };
    return ADD_ONS.filter((stage) => isOpenStage(job.stages[stage]) && !awaitsSpeakers(job, stage))
      .filter((stage) => isLate(waitedSince(job, stage), deadlines.stageMs))
      .map((stage) => ({ type: 'stage_finished', run, stage, status: 'failed', error, warnings: [], isUnheard: true }));
  }
  if (job.status !== 'processing' || !isLate(job.updatedAt, deadlines.stallMs)) return [];
  const hours = Math.round(deadlines.stallMs / 3_600_000);
  return [{ type: 'stalled', run, error: { code: 'internal', message: `The job made no progress for ${hours} hours.`, retryable: true } }];
}

/** These begin once it is known who speaks, or that nobody will find out: until then it is not they who are late. */
const AFTER_SPEAKERS: ReadonlySet<AddOn> = new Set<AddOn>(['summary', 'highlights']);

const awaitsSpeakers = ({ stages }: Job, stage: AddOn): boolean =>
  AFTER_SPEAKERS.has(stage) && stages[stage].status === 'pending' && isOpenStage(stages.diarization);

function waitedSince({ stages }: Job, stage: AddOn): string | undefined {
  const { startedAt, requestedAt } = stages[stage];
  const speakersAt = AFTER_SPEAKERS.has(stage) ? stages.diarization.completedAt : undefined;
  return [stages.transcription.completedAt, speakersAt, requestedAt, startedAt].filter((time) => time !== undefined).toSorted().at(-1);
}
