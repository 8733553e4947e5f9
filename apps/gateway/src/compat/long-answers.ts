import { Inject, Injectable } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';

type Body = AsyncGenerator<string | Uint8Array>;

/** An answer that is given when its job is done. */
export interface LongAnswer {
  ref: JobRef;
  isReady: (job: ingest.Job) => boolean;
  /** The body once the job is ready. @throws AppError when the job failed */
  body: (job: ingest.Job, signal: AbortSignal) => Promise<Body>;
  /** The error as a body, when the status is sent already. */
  failure: (error: unknown) => string;
  /** The format whose body can begin before the job is done, by characters without a meaning; undefined: it cannot. */
  start: 'json' | 'srt' | 'vtt' | undefined;
}

/** Milliseconds without a byte of the answer. Many clients and proxies close a connection after 60,000. */
const SILENT_MS = 50_000;
/** The first line of WebVTT, behind which empty lines are allowed (W3C WebVTT, section 4.1). */
const VTT_HEADER = 'WEBVTT\n';
/** Milliseconds between two spaces of an answer that is not there yet. */
const SPACE_EVERY_MS = 15_000;

/** Answers that wait for a job. */
@Injectable()
export class LongAnswers {
  constructor(@Inject(JobReader) private readonly reader: JobReader) {}

  /**
   * Waits until the body can begin: with the job ready, or, of an answer that takes long and whose format allows it, with a character without a meaning.
   * @throws AppError when the job failed before that, or the client is gone
   */
  async body(answer: LongAnswer, signal: AbortSignal): Promise<{ body: Body; isSpaced: boolean }> {
    for (;;) {
      const job = await this.reader.getWhen(answer.ref, answer.isReady, SILENT_MS, signal);
      if (signal.aborted) throw stopped();
      if (answer.isReady(job)) return { body: await answer.body(job, signal), isSpaced: false };
      if (answer.start !== undefined) return { body: this.spaced(answer, signal), isSpaced: true };
    }
  }

  /**
   * A body that begins with characters without a meaning in its format until the job is done: proxies and clients close connections that
   * are silent for long. An error ends JSON as its only value. @throws AppError for captions, as they cannot have an error in them, and for a body that has begun
   */
  async *spaced(answer: LongAnswer, signal: AbortSignal): Body {
    const { start } = answer;
    if (start === 'vtt') yield VTT_HEADER;
    for (;;) {
      yield start === 'json' ? ' ' : '\n';
      const body = await this.readyBody(answer, signal).catch((error: unknown) => {
        if (start !== 'json') throw error;
        return only(answer.failure(error));
      });
      if (body) return yield* start === 'vtt' ? withoutHeader(body) : body;
    }
  }

  /** @returns undefined when the job takes longer than the time between two spaces */
  private async readyBody(answer: LongAnswer, signal: AbortSignal): Promise<Body | undefined> {
    const job = await this.reader.getWhen(answer.ref, answer.isReady, SPACE_EVERY_MS, signal);
    // A complete answer without a transcript would look like one of a recording without speech.
    if (signal.aborted) throw stopped();
    return answer.isReady(job) ? answer.body(job, signal) : undefined;
  }
}

async function* only(text: string): Body {
  yield text;
}

async function* withoutHeader(pieces: Body): Body {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? String(Buffer.from(piece)).replace(VTT_HEADER, '') : piece;
    isFirst = false;
  }
}

/** The end of an answer whose job continues. */
export const stopped = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The server is shutting down. The transcription continues; send the same request again to get it.', retryable: true });
