import type { CollectionDefinition, Document } from '@parlance/storage';

/** Jobs of one account that are queued or processing, and those about to be made; the id is the account's. */
export interface InFlight extends Document {
  /** Ids of the jobs, each with when its place was taken (RFC 3339). */
  jobs: Record<string, string>;
  /** The account is to be deleted, or was: it gets no further places. The mark stays after the erasure, for what is created late. */
  closed?: true;
}

export const inFlightCollection: CollectionDefinition<InFlight> = {
  name: 'in_flight',
  data: { what: 'ids of jobs that are being created; whether the account is to be deleted, or was', purpose: 'to create each job once', kept: 'with the job; of a deleted account its id, without end' },
  indexes: [],
};

export interface Entry {
  jobId: string;
  /** The maximum number of jobs of the account. */
  limit: number;
  /** From now on the place is a further run's: the end of the one before does not free it. */
  again?: boolean;
}

/** Takes places for as many as there is room for, in their order; a job that has its place keeps it. */
export function enter(current: InFlight, entries: readonly Entry[], now: string): { inFlight: InFlight; refused: ReadonlySet<string> } {
  const jobs = { ...current.jobs };
  const refused = new Set<string>();
  let taken = Object.keys(jobs).length;
  for (const { jobId, limit, again = false } of entries) {
    if (Object.hasOwn(jobs, jobId)) {
      if (again && !current.closed) jobs[jobId] = now;
      continue;
    }
    if (current.closed || taken >= limit) {
      refused.add(jobId);
      continue;
    }
    jobs[jobId] = now;
    taken += 1;
  }
  return { inFlight: { ...current, jobs }, refused };
}

/** A job that is not in flight; `until`: a place that was taken later is another run's. */
export interface Ended {
  jobId: string;
  until?: string | undefined;
}

/** Gives places free; undefined when none of them was taken. */
export function leave(current: InFlight, ended: readonly Ended[]): InFlight | undefined {
  const ends = new Map(ended.map(({ jobId, until }) => [jobId, until ?? NEVER]));
  const kept = Object.entries(current.jobs).filter(([jobId, since]) => since > (ends.get(jobId) ?? ''));
  return kept.length === Object.keys(current.jobs).length ? undefined : { ...current, jobs: Object.fromEntries(kept) };
}

/** Later than every time. */
const NEVER = '~';
