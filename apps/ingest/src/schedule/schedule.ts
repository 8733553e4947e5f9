import type { NewEvent } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';
import { hasChunk, type ChunkSet } from '../jobs/chunk-set.js';

export interface PlannedChunks {
  jobId: string;
  run: number;
  total: number;
  /** Chunks of an earlier run that need not be done again. */
  done: ChunkSet;
  planKey: string;
  traceparent?: string | undefined;
}

export interface QueuedJob {
  jobId: string;
  run: number;
  traceparent?: string | undefined;
}

export interface ScheduledJob {
  jobId: string;
  run: number;
  /** Its trace: a place for one of its tasks is often given by the end of another job's. */
  traceparent?: string | undefined;
  /** Since when, by the looks of the upkeep, the job has been asked for and has not started. */
  waitingSince?: string;
  /** Missing until the chunks are planned. */
  chunks?: {
    total: number;
    /** The first index not yet looked at. */
    next: number;
    done: ChunkSet;
    inFlight: number[];
    planKey: string;
  };
}

/**
 * The jobs of one account that ingest and transcription work on; the id is the account's.
 * Jobs that wait are not in it: they are the account's queued jobs, oldest first.
 */
export interface Schedule extends Document {
  /** The next job to be served among equals comes first. */
  active: ScheduledJob[];
  /** Whether any job is active: what the upkeep looks through. */
  busy: boolean;
}

export const scheduleCollection: CollectionDefinition<Schedule> = { name: 'schedules', indexes: [{ fields: ['busy'] }] };

export interface ScheduleLimits {
  /** Jobs of an account in ingest or transcription at once. */
  maxActive: number;
  /** Chunk tasks of an account that are out at once. */
  window: number;
}

export interface ScheduleChange {
  schedule: Schedule;
  events: NewEvent[];
}

export const emptySchedule = (accountId: string, now: string): Schedule => ({ id: accountId, createdAt: now, active: [], busy: false });

/** Lets the first of the given jobs begin while there is room; undefined when none can. */
export function admit(schedule: Schedule, jobs: readonly QueuedJob[], { maxActive }: ScheduleLimits): ScheduleChange | undefined {
  const active = [...schedule.active];
  const events: NewEvent[] = [];
  for (const { jobId, run, traceparent } of jobs) {
    const known = active.findIndex((job) => job.jobId === jobId);
    if (known >= 0 && (active[known]?.run ?? 0) >= run) continue;
    if (known >= 0) active.splice(known, 1);
    if (active.length >= maxActive) break;
    active.push({ jobId, run, ...(traceparent !== undefined && { traceparent }) });
    events.push({ type: 'ingest.requested', data: { jobId, accountId: schedule.id, run }, ...(traceparent !== undefined && { traceparent }) });
  }
  return events.length === 0 ? undefined : { schedule: { ...schedule, active }, events };
}

/** Releases the first chunks of a job whose media is ready. */
export function plan(schedule: Schedule, planned: PlannedChunks, limits: ScheduleLimits): ScheduleChange | undefined {
  const { jobId, run, total, done, planKey, traceparent } = planned;
  const job = find(schedule, jobId, run);
  if (!job || job.chunks) return undefined;
  const chunks = { total, next: 0, done, inFlight: [], planKey };
  return release(replace(schedule, { ...job, ...(traceparent !== undefined && { traceparent }), chunks }), limits);
}

/** A chunk task has ended, well or not; the next one follows. A job without further chunks leaves its place to another. */
export function finishChunk(schedule: Schedule, chunk: { jobId: string; run: number; index: number }, limits: ScheduleLimits): ScheduleChange | undefined {
  const job = find(schedule, chunk.jobId, chunk.run);
  if (!job?.chunks?.inFlight.includes(chunk.index)) return undefined;
  const inFlight = job.chunks.inFlight.filter((index) => index !== chunk.index);
  return release(replace(schedule, { ...job, chunks: { ...job.chunks, inFlight } }), limits);
}

/** Takes a job out whose run has ended. */
export function remove(schedule: Schedule, ended: { jobId: string; run: number }, limits: ScheduleLimits): ScheduleChange | undefined {
  const active = schedule.active.filter(({ jobId, run }) => jobId !== ended.jobId || run > ended.run);
  return active.length === schedule.active.length ? undefined : release({ ...schedule, active }, limits);
}

/**
 * Puts right what lost events leave behind. Given the account's queued jobs: one that was asked for and has not started in
 * time (milliseconds) is asked for again.
 */
export function mend(
  schedule: Schedule,
  queued: readonly { jobId: string; run: number }[],
  { now, patienceMs }: { now: Date; patienceMs: number },
): ScheduleChange | undefined {
  const runs = new Map(queued.map(({ jobId, run }) => [jobId, run]));
  const events: NewEvent[] = [];
  const active = schedule.active.map((job) => {
    const { jobId, run, waitingSince, traceparent } = job;
    const isWaiting = runs.get(jobId) === run && !job.chunks;
    if (!isWaiting || (waitingSince !== undefined && now.getTime() - Date.parse(waitingSince) < patienceMs)) return job;
    if (waitingSince !== undefined) events.push({ type: 'ingest.requested', data: { jobId, accountId: schedule.id, run }, ...(traceparent !== undefined && { traceparent }) });
    return { ...job, waitingSince: now.toISOString() };
  });
  return active.every((job, at) => job === schedule.active[at]) ? undefined : { schedule: { ...schedule, active }, events };
}

/** Hands out chunks until the window is full: to the job with the fewest out, in turns among equals. */
function release(before: Schedule, { window }: ScheduleLimits): ScheduleChange {
  let schedule = before;
  const events: NewEvent[] = [];
  for (let out = inFlight(schedule); out < window; out += 1) {
    const job = nextToServe(schedule);
    if (!job?.chunks) break;
    const { chunks } = job;
    const index = nextIndex(chunks);
    const served = { ...job, chunks: { ...chunks, next: index + 1, inFlight: [...chunks.inFlight, index] } };
    schedule = { ...schedule, active: [...schedule.active.filter(({ jobId }) => jobId !== job.jobId), served] };
    events.push(chunkRequested(schedule.id, served, index));
  }
  const active = schedule.active.filter(({ chunks }) => !chunks || chunks.inFlight.length > 0 || nextIndex(chunks) < chunks.total);
  return { schedule: { ...schedule, active }, events };
}

function nextToServe(schedule: Schedule): ScheduledJob | undefined {
  const ready = schedule.active.filter(({ chunks }) => chunks && nextIndex(chunks) < chunks.total);
  const fewest = Math.min(...ready.map(outOf));
  return ready.find((job) => outOf(job) === fewest);
}

function chunkRequested(accountId: string, { jobId, run, chunks, traceparent }: ScheduledJob & Required<Pick<ScheduledJob, 'chunks'>>, index: number): NewEvent {
  const { total, planKey } = chunks;
  return { type: 'chunk.requested', data: { jobId, accountId, run, index, total, planKey }, ...(traceparent !== undefined && { traceparent }) };
}

/** The first index from `next` on that is not done, `total` at the end. */
function nextIndex({ next, total, done }: NonNullable<ScheduledJob['chunks']>): number {
  let index = next;
  while (index < total && hasChunk(done, index)) index += 1;
  return index;
}

const outOf = ({ chunks }: ScheduledJob): number => chunks?.inFlight.length ?? 0;
const inFlight = ({ active }: Schedule): number => active.reduce((sum, job) => sum + outOf(job), 0);
const find = ({ active }: Schedule, jobId: string, run: number) => active.find((job) => job.jobId === jobId && job.run === run);
const replace = (schedule: Schedule, job: ScheduledJob): Schedule => ({
  ...schedule,
  active: schedule.active.map((known) => (known.jobId === job.jobId ? job : known)),
});
