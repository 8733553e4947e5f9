import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { removeUnchanged } from '../expired-documents.js';

/** An upload on its way, whose job is not made yet; it has the job's id. */
interface UploadLease extends Document {
  accountId: string;
  /** The attempt that works on it; another token means that another attempt took over. */
  token: string;
  /** Until then its process is alive. */
  leaseUntil: string;
  /** Its file is being removed: no other file may be stored there meanwhile. */
  removing?: boolean;
}

export interface UploadOwner {
  accountId: string;
  jobId: string;
  /** The token of this attempt: a later one to create the same job has another. */
  token: string;
}

const LEASE_MS = 60_000;
/** Well within every lease, that of the Idempotency-Key included. */
export const RENEW_EVERY_MS = 3_000;

/** Remembers uploads that are not a job's yet, so that what a killed process left in the media store is found and removed. */
@Injectable()
export class UploadLeases {
  private readonly collection: DocumentCollection<UploadLease>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection<UploadLease>({
      name: 'upload_leases',
      data: { what: 'ids of uploads that are under way', purpose: 'to remove uploads that were cut off', kept: 'until the upload ends' },
      indexes: [{ fields: [], orderBy: 'leaseUntil' }],
    });
  }

  /** Takes over what an earlier try holds. @throws AppError idempotency_in_flight while that one's file is being removed */
  async take(owner: UploadOwner): Promise<void> {
    const now = this.clock.now().toISOString();
    let busy = false;
    await this.collection.update(owner.jobId, (lease) => {
      busy = lease?.removing === true && lease.leaseUntil > now;
      return busy ? undefined : { document: this.leaseOf(owner, now) };
    });
    if (busy) throw beingRemoved();
  }

  /** @returns false when it is not the owner's any more. */
  async renew({ jobId, token }: UploadOwner): Promise<boolean> {
    let isOurs = false;
    await this.collection.update(jobId, (lease) => {
      isOurs = lease !== undefined && lease.token === token;
      return lease && isOurs ? { document: { ...lease, leaseUntil: this.end() } } : undefined;
    });
    return isOurs;
  }

  async release({ jobId, token }: UploadOwner): Promise<void> {
    const stored = await this.collection.get(jobId);
    if (stored?.document.token === token) await removeUnchanged(this.collection, stored);
  }

  /**
   * The right to remove the file, and to keep everybody else from it until it is gone.
   * @returns undefined when the upload is not the owner's any more. Where it is nobody's, the next sweep looks whether it became a job's.
   */
  async seize(owner: UploadOwner): Promise<UploadOwner | undefined> {
    const seized: UploadOwner = { ...owner, token: randomUUID() };
    let isOurs = false;
    await this.collection.update(owner.jobId, (lease) => {
      const now = this.clock.now().toISOString();
      if (!lease) return { document: { ...this.leaseOf(owner, now), leaseUntil: now } };
      isOurs = lease.token === owner.token;
      return isOurs ? { document: { ...this.leaseOf(seized, lease.createdAt), removing: true } } : undefined;
    });
    return isOurs ? seized : undefined;
  }

  async abandoned(): Promise<UploadOwner[]> {
    const now = this.clock.now().toISOString();
    const { items } = await this.collection.find({ range: { field: 'leaseUntil', lt: now }, orderBy: 'leaseUntil', direction: 'ascending', limit: 100 });
    return items.map(({ document: { id, accountId, token } }) => ({ jobId: id, accountId, token }));
  }

  private leaseOf({ jobId, accountId, token }: UploadOwner, createdAt: string): UploadLease {
    return { id: jobId, createdAt, accountId, token, leaseUntil: this.end() };
  }

  private end(): string {
    return new Date(this.clock.now().getTime() + LEASE_MS).toISOString();
  }
}

const beingRemoved = () =>
  new AppError({ kind: 'conflict', code: 'idempotency_in_flight', message: 'The upload of an earlier call is still being removed.', retryable: true });
