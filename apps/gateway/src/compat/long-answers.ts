import { Inject, Injectable } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { statusOf } from '../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';

type Body = AsyncGenerator<string | Uint8Array>;

/** An answer that is given when its job is done. */
export interface LongAnswer {
  ref: JobRef;
  isReady: (job: ingest.Job) => boolean;
  /** The body once the job is ready. @throws AppError when the job failed */
  body: (job: ingest.Job) => Promise<Body>;
  /** The error as a body, when the status is sent already. */
  failure: (error: unknown) => string;
  /** True when the body may begin with spaces. */
  isJson: boolean;
}

/** Milliseconds without a byte of the answer. Many clients and proxies close a connection after 60,000. */
const SILENT_MS = 50_000;
/** Milliseconds between two spaces of an answer that is not there yet. */
const SPACE_EVERY_MS = 15_000;

/** Answers that wait for a job. */
@Injectable()
export class LongAnswers {
  constructor(@Inject(JobReader) private readonly reader: JobReader) {}

  /**
   * Waits until the body can begin: with the job ready, or, of an answer in JSON that takes long, with a space.
   * @throws AppError when the job failed before that, or the client is gone
   */
  async body(answer: LongAnswer, signal: AbortSignal): Promise<{ body: Body; isSpaced: boolean }> {
    for (;;) {
      const job = await this.reader.getWhen(answer.ref, answer.isReady, SILENT_MS, signal);
      if (signal.aborted) throw stopped();
      if (answer.isReady(job)) return { body: await answer.body(job), isSpaced: false };
      if (answer.isJson && statusOf(job) !== 'queued') return { body: this.spaced(answer, signal), isSpaced: true };
    }
  }

  /** A body in JSON that begins with spaces, which JSON allows, until the job is done: proxies and clients close connections that are silent for long. */
  async *spaced(answer: LongAnswer, signal: AbortSignal): Body {
    for (;;) {
      yield ' ';
      const job = await this.reader.getWhen(answer.ref, answer.isReady, SPACE_EVERY_MS, signal);
      if (signal.aborted) return;
      if (!answer.isReady(job)) continue;
      try {
        return yield* await answer.body(job);
      } catch (error) {
        return yield answer.failure(error);
      }
    }
  }
}

const stopped = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The server is shutting down. The transcription continues; send the same request again to get it.', retryable: true });
