import type { CollectionDefinition, Document } from '@parlance/storage';

export interface ScheduledJob {
  jobId: string;
  run: number;
  /** True when normal jobs come first. */
  isBatch?: boolean;
  /** Present in a schedule that the version before has written, which requested chunks one by one: the job's tasks have yet to be added. */
  chunks?: object;
}

/**
 * The jobs of one account that ingest and transcription work on; the id is the account's.
 * Jobs that wait are not in it: they are the account's queued jobs, oldest first.
 */
export interface Schedule extends Document {
  active: ScheduledJob[];
  /** True while any job is active; the upkeep reads these schedules. */
  busy: boolean;
}

export const scheduleCollection: CollectionDefinition<Schedule> = {
  name: 'schedules',
  data: { what: 'ids of an account\'s waiting jobs', purpose: 'to share the engines fairly', kept: 'with the job' },
  account: 'id',
  indexes: [{ fields: ['busy'] }],
};

export interface ScheduleLimits {
  /** Jobs of an account in ingest or transcription at once. */
  maxActive: number;
}

/** Milliseconds that a job of the priority `batch` waits for normal ones at most: it comes before those that are younger by as much. */
const BATCH_WAITS_MS = 3_600_000;

/** The jobs in the order in which they are to begin. */
export const inOrder = <J extends { createdAt: string; isBatch: boolean }>(jobs: readonly J[]): J[] =>
  jobs.toSorted((one, other) => turnOf(one) - turnOf(other));

const turnOf = ({ createdAt, isBatch }: { createdAt: string; isBatch: boolean }): number => Date.parse(createdAt) + (isBatch ? BATCH_WAITS_MS : 0);

/** A quarter of the places is kept for normal jobs: work that has begun is not interrupted. */
const maxBatch = ({ maxActive }: ScheduleLimits): number => Math.max(1, Math.floor(maxActive * 0.75));

interface Admitted {
  schedule: Schedule;
  /** The jobs that may begin now. */
  jobs: ScheduledJob[];
}

export const emptySchedule = (accountId: string, now: string): Schedule => ({ id: accountId, createdAt: now, active: [], busy: false });

/** Lets the first of the given jobs begin while there is room; undefined when none can. */
export function admit(schedule: Schedule, jobs: readonly ScheduledJob[], limits: ScheduleLimits): Admitted | undefined {
  const active = [...schedule.active];
  const admitted: ScheduledJob[] = [];
  for (const { jobId, run, isBatch = false } of jobs) {
    const known = active.findIndex((job) => job.jobId === jobId);
    if (known >= 0 && (active[known]?.run ?? 0) >= run) continue;
    if (known >= 0) active.splice(known, 1);
    if (active.length >= limits.maxActive) break;
    if (isBatch && active.filter((job) => job.isBatch).length >= maxBatch(limits)) continue;
    const begun: ScheduledJob = { jobId, run, ...(isBatch && { isBatch }) };
    active.push(begun);
    admitted.push(begun);
  }
  return admitted.length === 0 ? undefined : { schedule: { ...schedule, active }, jobs: admitted };
}

/** Takes a job out whose transcript is there, or whose run has ended. */
export function remove(schedule: Schedule, ended: { jobId: string; run: number }): Schedule | undefined {
  const active = schedule.active.filter(({ jobId, run }) => jobId !== ended.jobId || run > ended.run);
  return active.length === schedule.active.length ? undefined : { ...schedule, active };
}

/** Forgets which chunks of a job the version before had requested. */
export function dropChunks(schedule: Schedule, jobId: string): Schedule {
  return { ...schedule, active: schedule.active.map(({ chunks, ...job }) => (job.jobId === jobId || !chunks ? job : { ...job, chunks })) };
}
