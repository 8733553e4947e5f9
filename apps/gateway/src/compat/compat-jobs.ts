import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, pause, toAppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { FastifyRequest } from 'fastify';
import { idempotencyKeyOf, keyWithin } from '../idempotency/idempotency-key.js';
import type { Caller } from '../keys/authenticator.js';
import { Creation, creationRequest, type CreationAnswer, type CreationRequest } from '../transcriptions/creation.js';
import { isOver, statusOf } from '../transcriptions/job-json.js';
import type { UploadOptions } from '../transcriptions/job-options-schema.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { StoredUploadCreation } from '../transcriptions/stored-upload-creation.js';
import { UploadRecords } from '../uploads/stored/upload-records.js';
import type { Upload } from '../uploads/stored/upload.js';

/** Milliseconds after its creation in which the same upload gets the job that is there. */
const REPEATED_WITHIN_MS = 900_000;
/** The same file is transcribed anew at most so often in a day. */
const MAX_REPEATS = 100;
const IN_FLIGHT_TRIES = 60;
const IN_FLIGHT_PAUSE_MS = 250;

/** The making of a job under a key of idempotency. */
interface Work {
  make(request: CreationRequest): Promise<CreationAnswer>;
  source: string;
  body: object;
  /** Milliseconds after its creation in which a job that is over is the same one. */
  repeatedWithinMs: number;
}

interface Made {
  ref: JobRef;
  /** True for the job of an earlier request. */
  replayed: boolean;
}

/** Makes jobs of the files that clients of other vendors' APIs send. */
@Injectable()
export class CompatJobs {
  constructor(
    @Inject(UploadRecords) private readonly uploads: Pick<UploadRecords, 'discard'>,
    @Inject(StoredUploadCreation) private readonly creation: StoredUploadCreation,
    @Inject(Creation) private readonly byUrls: Pick<Creation, 'byUrl'>,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Makes a job of the upload, and removes the upload, of which the job has a copy. A client that sends the same file with the
   * same options again while the job runs, or soon after, gets the same job: such clients repeat a request that took too long,
   * without an Idempotency-Key.
   * @param source which API it came by: a part of the idempotency key
   * @throws AppError of admission
   */
  async create(caller: Caller, http: FastifyRequest, { upload, options, source }: { upload: Upload; options: UploadOptions; source: string }): Promise<JobRef> {
    const body = { sha256: upload.sha256 ?? '', options };
    const make = (request: CreationRequest) => this.creation.byIds(request, [upload.id], options, body);
    try {
      return await this.once(caller, http, { make, source, body, repeatedWithinMs: REPEATED_WITHIN_MS });
    } finally {
      await this.uploads.discard(upload.id);
    }
  }

  /**
   * Makes a job of the recording at a URL. The same request gets the same job while that runs: afterwards, the URL may have another recording.
   * @throws AppError of admission
   */
  createByUrl(caller: Caller, http: FastifyRequest, { url, options, source }: { url: string; options: UploadOptions; source: string }): Promise<JobRef> {
    const body = { url, options };
    const make = (request: CreationRequest) => this.byUrls.byUrl(request, { source: { $case: 'audioUrl', value: url }, options }, body);
    return this.once(caller, http, { make, source, body, repeatedWithinMs: 0 });
  }

  private async once(caller: Caller, http: FastifyRequest, { make, source, body, repeatedWithinMs }: Work): Promise<JobRef> {
    const { accountId, projectId } = caller;
    const request = creationRequest(caller, http.id);
    const given = idempotencyKeyOf(http);
    const makeUnder = async (idempotencyKey: string): Promise<Made> => {
      const { accepted, replayed } = await make({ ...request, idempotencyKey });
      return { ref: { accountId, jobId: accepted.job_id, ...(projectId !== undefined && { projectId }) }, replayed };
    };
    return given === undefined ? this.newOrRepeated(makeUnder, { source: keyWithin(projectId, source), body, repeatedWithinMs }) : (await makeUnder(given)).ref;
  }

  private async newOrRepeated(make: (key: string) => Promise<Made>, { source, body, repeatedWithinMs }: Omit<Work, 'make'>): Promise<JobRef> {
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    for (let repeat = 0; repeat < MAX_REPEATS; repeat += 1) {
      const made = await this.attached(() => make(`${source}-${digest}-${repeat}`));
      // A new job may have failed by now. Its failure is the answer, and no reason to make another one.
      if (made && (!made.replayed || (await this.isUsable(made.ref, repeatedWithinMs)))) return made.ref;
    }
    throw new AppError({ kind: 'rate_limited', code: 'rate_limited', message: 'The same file was sent too often today.', retryable: true });
  }

  /** @returns undefined when the job that was made so is deleted */
  private async attached(make: () => Promise<Made>): Promise<Made | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await make();
      } catch (error) {
        const { code, reason } = toAppError(error);
        if (reason === 'job_erased') return undefined;
        // Two requests at once: the second waits until the first has made the job.
        if (code !== 'idempotency_in_flight' || tries === IN_FLIGHT_TRIES) throw error;
        await pause(IN_FLIGHT_PAUSE_MS);
      }
    }
  }

  /** A job that runs or has just been made; one that failed is made anew. */
  private async isUsable(ref: JobRef, repeatedWithinMs: number): Promise<boolean> {
    const job = await this.reader.get(ref).catch((error: unknown) => {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    });
    if (!job || statusOf(job) === 'failed' || statusOf(job) === 'canceled') return false;
    return !isOver(job) || this.clock.now().getTime() - (job.createdAt?.getTime() ?? 0) < repeatedWithinMs;
  }
}
