import type { DeadLetter } from '@parlance/event-bus';
import type { Job, StageName } from '@parlance/ingest/operators';
import { shortened, table } from './table.js';

/** A job without progress, and why that may be. */
export interface StuckJob {
  job: Job;
  stage: StageName | undefined;
  cause: string;
}

/** @param letters events of the job that a service could not handle: the likeliest cause @param ahead jobs of the same account at work */
export function stuckJob(job: Job, stage: StageName | undefined, letters: readonly DeadLetter[], ahead: number): StuckJob {
  const [letter] = letters;
  const cause = letter ? `${letter.group} could not handle ${letter.event.type}: ${letter.reason} (dead letter ${letter.id})` : withoutLetter(job, stage, ahead);
  return { job, stage, cause };
}

function withoutLetter({ status, chunks, stages }: Job, stage: StageName | undefined, ahead: number): string {
  if (status === 'queued') return ahead > 0 ? `waits behind ${ahead} jobs of its account that are in progress` : 'not started: is ingest running?';
  if (stage === 'ingest') return 'media neither downloaded nor refused: is ingest running?';
  if (stage === 'transcription') return `${chunks.count} of ${chunks.total} chunks are done, and no further one arrived: are transcription and its engine running?`;
  if (stage === undefined) return 'no stage is open';
  return stages[stage].status === 'running' ? `${stage} started and has sent no event since` : `${stage} not started: is its service running?`;
}

export const stuckJson = ({ job, stage, cause }: StuckJob): Record<string, unknown> => ({
  job_id: job.id,
  account_id: job.accountId,
  status: job.status,
  stage,
  percent: job.progress.percent,
  run: job.run,
  created_at: job.createdAt,
  updated_at: job.updatedAt,
  cause,
});

export function stuckTable(stuck: readonly StuckJob[]): string {
  if (stuck.length === 0) return 'No stuck jobs.';
  const rows = stuck.map(({ job, stage = '', cause }) => [job.id, job.updatedAt, job.accountId, job.status, stage, shortened(cause)]);
  return table(['ID', 'LAST CHANGE', 'ACCOUNT', 'STATUS', 'STAGE', 'CAUSE'], rows);
}
