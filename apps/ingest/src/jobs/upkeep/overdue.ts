import type { JobInput } from '../state/job-input.js';
import { isJoining } from '../state/requests-again.js';
import { ADD_ONS, isAwaitingSealing, isLiveOpen, isOpenStage, type AddOn, type Job, type StageName } from '../state/job.js';

/** Milliseconds. */
export interface Deadlines {
  /** The work of an add-on stage, from its start or its last report that it waits. Time that it waits for a place or for another try does not count. */
  stageMs: number;
  /** A job from its last change; an add-on stage that did not start, from when it could have started. */
  stallMs: number;
}

/** Milliseconds within which the gateway ends a live session and its job: the longest one lasts a day and has an hour to resume, and its end is tried for a day. */
const LIVE_MS = 50 * 60 * 60 * 1000;

/** Returns the inputs for a job whose reports are overdue. Times are in milliseconds since the epoch. */
export function overdue(job: Job, { now, awakeSince }: { now: number; awakeSince: number }, deadlines: Deadlines): JobInput[] {
  const isLate = (since: string | undefined, limit: number) =>
    since !== undefined && now - Math.max(Date.parse(since), awakeSince) >= limit;
  const { run, stages } = job;
  const hours = Math.round(deadlines.stallMs / 3_600_000);
  if (stages.transcription.status === 'completed') {
    const failed = (stage: AddOn, message: string): JobInput => {
      return { type: 'stage_finished', run, stage, status: 'failed', error: { code: 'stage_timeout', message, retryable: true }, warnings: [], isUnheard: true };
    };
    const running = ADD_ONS.filter((stage) => stages[stage].status === 'running' && isLate(latest(stages[stage].startedAt, stages[stage].waitedUntil), deadlines.stageMs));
    const waiting = ADD_ONS.filter((stage) => stages[stage].status === 'pending' && isLate(waitsSince(job, stage), deadlines.stallMs));
    return [
      ...running.map((stage) => failed(stage, `The stage did not end within ${Math.round(deadlines.stageMs / 60_000)} minutes.`)),
      ...waiting.map((stage) => failed(stage, `The stage did not start within ${hours} hours.`)),
    ];
  }
  if (isLiveOpen(job)) return isLate(job.createdAt, LIVE_MS) ? [{ type: 'live_lost' }] : [];
  if (job.status !== 'processing' || !isLate(job.updatedAt, deadlines.stallMs)) return [];
  return [{ type: 'stalled', run, error: { code: 'internal', message: `The job made no progress for ${hours} hours.`, retryable: true } }];
}

/**
 * The stages to ask for again, as nothing was reported of them for so long: an event may be lost. Their services do nothing when a
 * run waits or runs already, and report again what has ended. The stage ingest is among them only for a live session: the schedule
 * adds the tasks of other jobs again.
 */
export function unreported(job: Job, now: number, quietMs: number): StageName[] {
  const isQuiet = (since: string | undefined) => since !== undefined && now - Date.parse(since) >= quietMs;
  if (!isQuiet(job.askedAt ?? job.createdAt)) return [];
  const addOns = ADD_ONS.filter((stage) => isOpenStage(job.stages[stage]) && isQuiet(job.stages[stage].startedAt ?? waitsSince(job, stage)));
  if (isJoining(job)) return isQuiet(job.updatedAt) ? ['ingest'] : [];
  if (isAwaitingSealing(job)) return isQuiet(job.updatedAt) ? ['sealing'] : [];
  const isTranscribing = job.status === 'processing' && job.stages.transcription.status === 'running';
  return isTranscribing && isQuiet(job.updatedAt) ? ['transcription', ...addOns] : addOns;
}

/** These begin once diarization has ended: until then it is not they who are late. */
const AFTER_SPEAKERS: ReadonlySet<AddOn> = new Set<AddOn>(['summary', 'highlights', 'chapters', 'entities', 'audio_redaction']);

/** When the stage could have started; undefined while its input is not there. */
function waitsSince({ stages }: Job, stage: AddOn): string | undefined {
  const { transcription, diarization } = stages;
  const { requestedAt } = stages[stage];
  if (stage === 'diarization') return transcription.status === 'pending' ? undefined : latest(transcription.startedAt, requestedAt);
  if (transcription.status !== 'completed' || (AFTER_SPEAKERS.has(stage) && isOpenStage(diarization))) return undefined;
  return latest(transcription.completedAt, AFTER_SPEAKERS.has(stage) ? diarization.completedAt : undefined, requestedAt);
}

const latest = (...times: (string | undefined)[]): string | undefined => times.filter((time) => time !== undefined).toSorted().at(-1);
