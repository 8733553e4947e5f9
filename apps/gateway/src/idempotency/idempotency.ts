import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, toAppError, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { JobRef } from '@parlance/stage';
import { ownerOfAccount, type DocumentCollection, type DocumentDatabase } from '@parlance/storage';
import { removeUnchanged } from '../expired-documents.js';
import type { AcceptedJob } from '../transcriptions/job-schema.js';
import { decide, erased, isOver, KEPT_MS, type Decision, type IdempotencyRecord, type KeptAnswer } from './idempotency-record.js';

/** The right, and the duty, to finish one request. */
export interface Claim {
  recordId: string;
  jobId: string;
  token: string;
  /** True when an earlier attempt may have created the job already. */
  takenOver: boolean;
  /** The end of the id of what the request makes; the same for every attempt. */
  newId: string;
}

/** A request to another operation than the creation of a job. */
interface RepeatableRequest {
  accountId: string;
  key: string;
  /** Method and path: each operation of each resource has keys of its own. */
  target: string;
  fingerprint: string;
  /** The job with which its answer is erased; an account's id: with each of its jobs that the answer names. */
  erasedWith?: string;
}

type Repeated = { kind: 'claimed'; claim: Claim } | { kind: 'replay'; answer: KeptAnswer; recordId: string };

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
    this.records = documents.collection<IdempotencyRecord>({
      name: 'idempotency_records',
      data: { what: 'digests of Idempotency-Keys, and the answers to their requests', purpose: 'to do a repeated request once', kept: 'with the job; at the latest a day' },
      indexes: [{ fields: ['jobId'] }, { fields: [] }],
      // Below the key of the account: a record without its answer would look like a key that was never used, and the job be made again.
      sealed: { fields: ['response', 'answer'], owner: ownerOfAccount },
    });
  }

  /** @throws AppError idempotency_in_flight, idempotency_mismatch; invalid_state when the job it made was deleted */
  async begin(accountId: string, key: string, fingerprint?: string): Promise<Begun> {
    const { decision, record, token } = await this.claim(idOf(accountId, key), { accountId, jobId: this.ids.next('job') }, fingerprint);
    if (decision === 'replay' && record?.response) return { kind: 'replay', response: record.response, fingerprint: record.fingerprint };
    return { kind: 'claimed', claim: claimed(decision, record, token) };
  }

  /** @throws AppError idempotency_in_flight, idempotency_mismatch; invalid_state when the job of its answer was deleted */
  async repeat({ accountId, key, target, fingerprint, erasedWith }: RepeatableRequest): Promise<Repeated> {
    const recordId = idOf(accountId, key, target);
    const { decision, record, token } = await this.claim(recordId, { accountId, jobId: erasedWith ?? recordId, newId: this.ids.next('req').slice('req_'.length) }, fingerprint);
    if (decision === 'replay' && record?.answer) return { kind: 'replay', answer: record.answer, recordId };
    return { kind: 'claimed', claim: claimed(decision, record, token) };
  }

  private async claim(recordId: string, fresh: Pick<IdempotencyRecord, 'accountId' | 'jobId' | 'newId'>, fingerprint: string | undefined) {
    const token = randomUUID();
    let decision = 'begin' as Decision;
    const { stored } = await this.records.update(recordId, (current) => {
      const now = this.clock.now();
      decision = decide(current, fingerprint, now);
      if (decision !== 'begin' && decision !== 'take_over') return undefined;
      const kept = decision === 'take_over' && current ? current : { id: recordId, createdAt: now.toISOString(), ...fresh };
      return { document: { ...kept, ...(fingerprint !== undefined && { fingerprint }), token, leaseUntil: this.leaseFrom(now) } };
    });
    return { decision, record: stored?.document, token };
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

  /** @param isErased asked after the answer is stored, of each job that it names when it may name any of the account */
  async keep({ recordId, token }: Claim, answer: KeptAnswer, isErased: (jobId: string) => Promise<boolean>): Promise<void> {
    const { stored } = await this.records.update(recordId, (current) => (current?.token === token ? { document: { ...current, answer } } : undefined));
    if (stored?.document.jobId !== stored?.document.accountId) return;
    for (const jobId of new Set(answer.body.match(/\bjob_\w+/g))) if (await isErased(jobId)) await this.forgetAnswer(recordId);
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

  async count({ jobId, accountId }: JobRef): Promise<number> {
    return (await this.records.count({ jobId })) + (await this.naming(jobId, accountId)).length;
  }

  /** The job was deleted: its keys stay used until their day is over, and nothing else stays. */
  async erase({ jobId, accountId }: JobRef): Promise<void> {
    for await (const { document } of this.records.all({ where: { jobId } })) await this.forgetAnswer(document.id);
    for (const recordId of await this.naming(jobId, accountId)) await this.forgetAnswer(recordId);
  }

  /** Removes all records of the account. There are those of a day, so that all are looked at. */
  async removeOf(accountId: string): Promise<void> {
    for await (const { document } of this.records.all()) if (document.accountId === accountId) await this.records.remove(document.id);
  }

  private async forgetAnswer(recordId: string): Promise<void> {
    await this.records.update(recordId, (current) => (current && !current.erased ? { document: erased(current) } : undefined));
  }

  /** The records of answers that may name any job of the account, and name this one. */
  private async naming(jobId: string, accountId: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { document } of this.records.all({ where: { jobId: accountId } })) if (document.answer?.body.includes(jobId)) found.push(document.id);
    return found;
  }

  /** Forgets what is older than a day, but for what is still under way. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    const range = { field: 'createdAt', lt: new Date(now.getTime() - KEPT_MS).toISOString() };
    for await (const item of this.records.all({ range, direction: 'ascending' })) if (isOver(item.document, now)) await removeUnchanged(this.records, item);
  }

  private leaseFrom(now: Date): string {
    return new Date(now.getTime() + LEASE_MS).toISOString();
  }
}

/** @param target of all operations but the creation of a job */
const idOf = (accountId: string, ...parts: readonly string[]): string => createHash('sha256').update([accountId, ...parts].join('\0')).digest('hex');

/** @throws AppError idempotency_in_flight, idempotency_mismatch, invalid_state */
function claimed(decision: Decision, record: IdempotencyRecord | undefined, token: string): Claim {
  if (!record || decision === 'in_flight') throw inFlight();
  if (decision === 'mismatch') throw mismatch();
  if (decision === 'erased') throw jobDeleted();
  return { recordId: record.id, jobId: record.jobId, token, takenOver: decision === 'take_over', newId: record.newId ?? '' };
}

/** True when the work may have been done although the call failed. */
export const isUncertain = (error: unknown): boolean => ['unavailable', 'timeout', 'canceled', 'internal'].includes(toAppError(error).kind);

const inFlight = () =>
  new AppError({ kind: 'conflict', code: 'idempotency_in_flight', message: 'An earlier call with the same Idempotency-Key is still running.', retryable: true });

const jobDeleted = () =>
  new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'job_erased', message: 'The job that was created with this Idempotency-Key, or that its answer was about, has been deleted. Use a new key to create it again.' });

export const mismatch = () =>
  new AppError({ kind: 'invalid', code: 'idempotency_mismatch', message: 'The Idempotency-Key was used for a request with a different body.' });
