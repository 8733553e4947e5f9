import { createHash } from 'node:crypto';
import { mediaKeys } from '@parlance/contracts';
import { AppError, toAppError, type Logger } from '@parlance/platform';
import type { MediaStore, PutResult } from '@parlance/storage';
import type { UploadPace } from './upload-pace.js';
import { RENEW_EVERY_MS, type UploadLeases, type UploadOwner } from './upload-leases.js';

export interface UploadLimits {
  /** The maximum for accounts whose plan does not set one. */
  maxBytes: number;
  pace: UploadPace;
}

interface ExpectedFile {
  maxBytes?: number;
  /** By its request; less or more may come. */
  expectedBytes?: number;
}

/** Uploaded files on their way into the media store: whole and a job's in the end, or not there at all. */
export class UploadStore {
  constructor(
    private readonly media: MediaStore,
    private readonly leases: UploadLeases,
    readonly limits: UploadLimits,
    private readonly log: Logger,
  ) {}

  /** The key under which ingest looks for it. */
  keyOf({ accountId, jobId }: Pick<UploadOwner, 'accountId' | 'jobId'>): string {
    return mediaKeys(accountId, jobId).source;
  }

  /** @throws AppError media_too_large, storage_full, service_unavailable when a later try took over; the error of the body. What was written is gone then. */
  async store(owner: UploadOwner, body: AsyncIterable<Uint8Array>, signal: AbortSignal, { maxBytes = this.limits.maxBytes, expectedBytes = 0 }: ExpectedFile = {}): Promise<PutResult> {
    await this.leases.take(owner);
    const renewal = setInterval(() => void this.leases.renew(owner).catch(() => undefined), RENEW_EVERY_MS);
    try {
      return await this.media.put(this.keyOf(owner), this.heldToItsEnd(owner, body), { maxBytes, expectedBytes, signal });
    } catch (error) {
      await this.discard(owner);
      throw publicError(error, maxBytes);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Copies files that are stored already, one of each participant, to where ingest looks for them. @throws AppError not_found, storage_full, service_unavailable when a later try took over. What was copied is gone then. */
  async adopt(owner: UploadOwner, from: readonly string[]): Promise<void> {
    await this.leases.take(owner);
    const renewal = setInterval(() => void this.leases.renew(owner).catch(() => undefined), RENEW_EVERY_MS);
    try {
      const { track } = mediaKeys(owner.accountId, owner.jobId);
      for (const [index, key] of from.entries()) await this.media.copy(key, track(index));
      await this.hold(owner);
    } catch (error) {
      await this.discard(owner);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** A try that was thought dead must not put its file in the place of the later one's: the store keeps what was read to its end. */
  private async *heldToItsEnd(owner: UploadOwner, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* body;
    await this.hold(owner);
  }

  /** Reads the file for its digest alone. @throws AppError media_too_large */
  async digest(body: AsyncIterable<Uint8Array>, maxBytes = this.limits.maxBytes): Promise<PutResult> {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const bytes of body) {
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) throw fileTooLarge(maxBytes);
      hash.update(bytes);
    }
    return { sizeBytes, sha256: hash.digest('hex') };
  }

  /** Right before its job is made: it is still there and this try's. @throws AppError when it was given up for dead meanwhile, or another try took over */
  async hold(owner: UploadOwner): Promise<void> {
    if (!(await this.leases.renew(owner))) throw givenUp();
  }

  /** The file is its job's from now on. */
  async handOver(owner: UploadOwner): Promise<void> {
    await this.leases.release(owner);
  }

  /** Removes the file unless a later try took over: then it is that one's. Whatever fails here is done again by the next sweep. */
  async discard(owner: UploadOwner): Promise<void> {
    await this.settle(owner, async () => false);
  }

  /** Removes what killed processes left; a file that became a job's stays. */
  async sweep(jobExists: (owner: UploadOwner) => Promise<boolean>): Promise<void> {
    for (const upload of await this.leases.abandoned()) await this.settle(upload, jobExists);
  }

  /** The lease is seized before anybody looks for the job: from then on this upload cannot become one. */
  private async settle(owner: UploadOwner, jobExists: (owner: UploadOwner) => Promise<boolean>): Promise<void> {
    try {
      const seized = await this.leases.seize(owner);
      if (!seized) return;
      if (!(await jobExists(seized))) await this.media.removePrefix(mediaKeys(owner.accountId, owner.jobId).all);
      await this.leases.release(seized);
    } catch (error) {
      this.log.warn({ err: error, job_id: owner.jobId }, 'upload could not be removed; it will be tried again');
    }
  }
}

function publicError(thrown: unknown, maxBytes: number): unknown {
  return toAppError(thrown).kind === 'too_large' ? fileTooLarge(maxBytes) : thrown;
}

export const fileTooLarge = (maxBytes: number) =>
  new AppError({ kind: 'too_large', code: 'media_too_large', message: `The file is larger than the ${maxBytes} bytes that the account may send.` });

/** When another attempt with the same key took over, the next attempt gets its answer. */
const givenUp = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The upload was aborted because this server was suspended or another attempt took over. Send it again.' });
