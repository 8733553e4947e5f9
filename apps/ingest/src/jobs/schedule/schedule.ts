import type { CollectionDefinition, Document } from '@parlance/storage';

export interface ScheduledJob {
  jobId: string;
  run: number;
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

export const scheduleCollection: CollectionDefinition<Schedule> = { name: 'schedules', indexes: [{ fields: ['busy'] }] };

export interface ScheduleLimits {
  /** Jobs of an account in ingest or transcription at once. */
  maxActive: number;
}

interface Admitted {
  schedule: Schedule;
  /** The jobs that may begin now. */
  jobs: ScheduledJob[];
}

export const emptySchedule = (accountId: string, now: string): Schedule => ({ id: accountId, createdAt: now, active: [], busy: false });

/** Lets the first of the given jobs begin while there is room; undefined when none can. */
export function admit(schedule: Schedule, jobs: readonly ScheduledJob[], { maxActive }: ScheduleLimits): Admitted | undefined {
  const active = [...schedule.active];
  const admitted: ScheduledJob[] = [];
  for (const { jobId, run } of jobs) {
    const known = active.findIndex((job) => job.jobId === jobId);
    if (known >= 0 && (active[known]?.run ?? 0) >= run) continue;
    if (known >= 0) active.splice(known, 1);
    if (active.length >= maxActive) break;
    active.push({ jobId, run });
    admitted.push({ jobId, run });
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
