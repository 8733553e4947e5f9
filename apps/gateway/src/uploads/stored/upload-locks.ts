import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import type { Lock, Locker, RequestRelease } from '@tus/server';
import { UploadRecords } from './upload-records.js';

/** Milliseconds for which a request waits for the one before it to store what it received. */
const HANDOVER_MS = 10_000;

interface Holder {
  writer: string;
  requestRelease: RequestRelease;
  /** Settles when its bytes are stored, or could not be. */
  work: Promise<unknown>;
  released: PromiseWithResolvers<void>;
}

/**
 * Gives an upload to one request at a time. A later request ends the earlier one: its connection may be dead without this process
 * knowing. A request of another process loses the upload at once, and fails when it stores its next bytes.
 */
@Injectable()
export class UploadLocks implements Locker {
  private readonly holders = new Map<string, Holder>();

  constructor(@Inject(UploadRecords) private readonly records: Pick<UploadRecords, 'claim' | 'release'>) {}

  newLock(id: string): Lock {
    const holder: Holder = { writer: randomUUID(), requestRelease: () => {}, work: Promise.resolve(), released: Promise.withResolvers() };
    return {
      lock: async (signal, requestRelease) => {
        holder.requestRelease = requestRelease;
        await this.enter(id, holder, signal);
      },
      unlock: () => this.leave(id, holder),
    };
  }

  /** The name under which the request that holds the upload may change it. */
  writerOf(id: string): string {
    const holder = this.holders.get(id);
    if (!holder) throw new Error('The upload is not locked.');
    return holder.writer;
  }

  /** Keeps the upload locked until the work has ended, also when its request ends before. */
  during<T>(id: string, work: Promise<T>): Promise<T> {
    const holder = this.holders.get(id);
    if (holder) holder.work = work.catch(() => undefined);
    return work;
  }

  private async enter(id: string, holder: Holder, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(HANDOVER_MS)]);
    for (let other = this.holders.get(id); other; other = this.holders.get(id)) {
      await other.requestRelease();
      await Promise.race([other.released.promise, aborted(limit)]);
    }
    this.holders.set(id, holder);
    try {
      await this.records.claim(id, holder.writer);
    } catch (error) {
      this.forget(id, holder);
      throw error;
    }
  }

  private async leave(id: string, holder: Holder): Promise<void> {
    await holder.work;
    try {
      await this.records.release(id, holder.writer);
    } finally {
      this.forget(id, holder);
    }
  }

  private forget(id: string, holder: Holder): void {
    this.holders.delete(id);
    holder.released.resolve();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  const busy = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'An earlier request still stores bytes of this upload. Try again.' });
  return new Promise((_, reject) => {
    if (signal.aborted) reject(busy());
    else signal.addEventListener('abort', () => reject(busy()), { once: true });
  });
}
