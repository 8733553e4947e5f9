import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { removeUnchanged } from '../expired-documents.js';
import type { AcceptedJob } from '../transcriptions/job-schema.js';
import { decide, erased, isOver, KEPT_MS, type Decision, type IdempotencyRecord } from './idempotency-record.js';

/** The right, and the duty, to finish one request. */
export interface Claim {
  recordId: string;
  jobId: string;
  token: string;
  /** True when an earlier attempt may have created the job already. */
  takenOver: boolean;
}

export type Begun = { kind: 'claimed'; claim: Claim } | { kind: 'replay'; response: AcceptedJob; fingerprint: string | undefined };

/** Milliseconds after which a process that says nothing is taken for dead: so long a caller waits whose call was killed. */
const LEASE_MS = 10_000;

/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): one key, one job, whatever is repeated or killed.
 * A request that was cut off is finished by the next one with the same key, under the same job id.
 */
@Injectable()
export class Idempotency {
  private readonly records: DocumentCollection<IdempotencyRecord>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {
    this.records = documents.collection<IdempotencyRecord>({ name: 'idempotency_records', indexes: [{ fields: ['jobId'] }, { fields: [] }] });
  }

  /** @throws AppError idempotency_in_flight, idempotency_mismatch; invalid_state when the job it made was deleted */
  async begin(accountId: string, key: string, fingerprint?: string): Promise<Begun> {
    const recordId = idOf(accountId, key);
    const token = randomUUID();
    let decision: Decision = 'begin';
    const { stored } = await this.records.update(recordId, (current) => {
      const now = this.clock.now();
      decision = decide(current, fingerprint, now);
      if (decision !== 'begin' && decision !== 'take_over') return undefined;
      const kept = decision === 'take_over' && current ? current : this.fresh(recordId, accountId, now);
      return { document: { ...kept, ...(fingerprint !== undefined && { fingerprint }), token, leaseUntil: this.leaseFrom(now) } };
    });
    return outcome(decision, stored?.document, token);
  }

  /** While an upload runs; also remembers what the request turned out to be. @throws AppError idempotency_in_flight when another took over, idempotency_mismatch */
  async renew(claim: Claim, fingerprint?: string): Promise<void> {
    let isOurs = false;
    let differs = false;
    await this.records.update(claim.recordId, (current) => {
      isOurs = current?.token === claim.token;
      if (!current || !isOurs) return undefined;
      differs = current.fingerprint !== undefined && fingerprint !== undefined && current.fingerprint !== fingerprint;
      if (differs) return undefined;
      return { document: { ...current, ...(fingerprint !== undefined && { fingerprint }), leaseUntil: this.leaseFrom(this.clock.now()) } };
    });
    if (!isOurs) throw inFlight();
    if (differs) throw mismatch();
  }

  async settle({ recordId, token }: Claim, response: AcceptedJob): Promise<void> {
    await this.records.update(recordId, (current) => (current?.token === token ? { document: { ...current, response } } : undefined));
  }

  /** The request was refused: the key is as if it had never been used. */
  async release(claim: Claim): Promise<void> {
    const stored = await this.records.get(claim.recordId);
    if (stored?.document.token === claim.token) await this.records.remove(claim.recordId, stored.version);
  }

  /** It is unknown whether the job was created: the next request with the key finishes this one. */
  async suspend(claim: Claim): Promise<void> {
    const leaseUntil = this.clock.now().toISOString();
    await this.records.update(claim.recordId, (current) =>
      current?.token === claim.token ? { document: { ...current, leaseUntil } } : undefined,
    );
  }

  count(jobId: string): Promise<number> {
    return this.records.count({ jobId });
  }

  /** The job was deleted: the key stays used until its day is over, and nothing else stays. */
  async erase(jobId: string): Promise<void> {
    const { items } = await this.records.find({ where: { jobId } });
    for (const { document } of items) await this.records.update(document.id, (current) => (current?.jobId === jobId ? { document: erased(current) } : undefined));
  }

  /** Forgets what is older than a day, but for what is still under way. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const range = { field: 'createdAt', lt: new Date(now.getTime() - KEPT_MS).toISOString() };
    for await (const item of this.records.all({ range, direction: 'ascending' })) if (isOver(item.document, now)) await removeUnchanged(this.records, item);
  }

  private fresh(id: string, accountId: string, now: Date): Omit<IdempotencyRecord, 'token' | 'leaseUntil'> {
    return { id, createdAt: now.toISOString(), accountId, jobId: this.ids.next('job') };
  }

  private leaseFrom(now: Date): string {
    return new Date(now.getTime() + LEASE_MS).toISOString();
  }
}

const idOf = (accountId: string, key: string): string => createHash('sha256').update(`${accountId}\0${key}`).digest('hex');

function outcome(decision: Decision, record: IdempotencyRecord | undefined, token: string): Begun {
  if (!record || decision === 'in_flight') throw inFlight();
  if (decision === 'mismatch') throw mismatch();
  if (decision === 'erased') throw jobDeleted();
  if (decision === 'replay' && record.response) return { kind: 'replay', response: record.response, fingerprint: record.fingerprint };
  return { kind: 'claimed', claim: { recordId: record.id, jobId: record.jobId, token, takenOver: decision === 'take_over' } };
}

const inFlight = () =>
  new AppError({ kind: 'conflict', code: 'idempotency_in_flight', message: 'An earlier call with the same Idempotency-Key is still running.', retryable: true });

const jobDeleted = () =>
  new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The job that was created with this Idempotency-Key has been deleted. Use a new key to create it again.' });

export const mismatch = () =>
  new AppError({ kind: 'invalid', code: 'idempotency_mismatch', message: 'The Idempotency-Key was used for a request with a different body.' });
