import type { Document } from '@parlance/storage';
import type { AcceptedJob } from '../transcriptions/job-schema.js';

/** The first answer to a request, as it is sent again. */
export interface KeptAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** As it was sent, or sealed (`sealed-answer.ts`). */
  body: string;
}

/** The state of a request that carried an Idempotency-Key. */
export interface IdempotencyRecord extends Document {
  accountId: string;
  /** The job that the request creates, whichever attempt finishes it, or that it is about; else the account or the record itself. */
  jobId: string;
  /** The fingerprint of the request, once it is known: that of a form when its file has arrived. */
  fingerprint?: string;
  /** The attempt that works on it; another token means that another attempt took over. */
  token: string;
  /** Until then it is in flight; after that its process is taken for dead. */
  leaseUntil: string;
  /** The first answer; the record is settled. */
  response?: AcceptedJob;
  /** The same, of any other operation than the creation of a job. */
  answer?: KeptAnswer;
  /** The end of the id of what the request makes, whichever attempt finishes it. */
  newId?: string;
  /** The job was deleted: of the request nothing is kept but that its key was used, so that a late repeat does not make the job again. */
  erased?: true;
}

export type Decision = 'begin' | 'take_over' | 'in_flight' | 'mismatch' | 'replay' | 'erased';

/** Milliseconds that an answer is kept. */
export const KEPT_MS = 24 * 60 * 60 * 1000;

/** @param fingerprint undefined while the file of a form is still to come. */
export function decide(record: IdempotencyRecord | undefined, fingerprint: string | undefined, now: Date): Decision {
  if (!record || isOver(record, now)) return 'begin';
  if (record.erased) return 'erased';
  const differs = record.fingerprint !== undefined && fingerprint !== undefined && record.fingerprint !== fingerprint;
  if (record.response ?? record.answer) return differs ? 'mismatch' : 'replay';
  if (record.leaseUntil > now.toISOString()) return differs ? 'mismatch' : 'in_flight';
  return differs ? 'mismatch' : 'take_over';
}

export const isOver = ({ createdAt, leaseUntil }: IdempotencyRecord, now: Date): boolean =>
  Date.parse(createdAt) + KEPT_MS <= now.getTime() && leaseUntil <= now.toISOString();

/** The part of the record that is kept once its job is deleted. */
export const erased = ({ id, createdAt, accountId, jobId }: IdempotencyRecord): IdempotencyRecord => ({
  id,
  createdAt,
  accountId,
  jobId,
  token: '',
  leaseUntil: createdAt,
  erased: true,
});
