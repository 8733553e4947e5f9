import { Readable } from 'node:stream';
import type { ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { FastifyReply } from 'fastify';
import { statusOf } from '../transcriptions/job-json.js';

/** Milliseconds without a byte of the answer. Many clients and proxies close a connection after 60,000. */
const SILENT_MS = 50_000;
/** Milliseconds between two spaces of an answer that is not there yet. */
const SPACE_EVERY_MS = 15_000;

/** An answer that waits for a job. */
export interface LongAnswer {
  /** @returns the job once it can be answered, or as it is after `waitMs` */
  wait(waitMs: number): Promise<ingest.Job>;
  isAnswerable(job: ingest.Job): boolean;
  /** @throws AppError when the job failed */
  body(job: ingest.Job): Promise<AsyncIterable<string | Uint8Array>>;
  /** The error as a part of an answer whose status is sent already. */
  onFailure(error: unknown): string;
  /** Aborts when the client disconnects or the server shuts down. */
  signal: AbortSignal;
}

/** A body in JSON that begins with spaces, which JSON allows, until the job is done: proxies and clients close connections that are silent for long. */
export async function* spacedBody({ wait, isAnswerable, body, onFailure, signal }: LongAnswer): AsyncGenerator<string | Uint8Array> {
  for (;;) {
    yield ' ';
    const job = await wait(SPACE_EVERY_MS);
    if (signal.aborted) return;
    if (!isAnswerable(job)) continue;
    try {
      return yield* await body(job);
    } catch (error) {
      return yield onFailure(error);
    }
  }
}

/**
 * Waits for the job. An answer in JSON begins with spaces once the job runs and takes long.
 * @returns the job that can be answered; undefined when the answer has begun
 * @throws AppError service_unavailable when the server stops
 */
export async function waitOrBegin(reply: FastifyReply, answer: LongAnswer, { isJson }: { isJson: boolean }): Promise<ingest.Job | undefined> {
  for (;;) {
    const job = await answer.wait(SILENT_MS);
    if (answer.signal.aborted) throw stopped();
    if (answer.isAnswerable(job)) return job;
    if (!isJson || statusOf(job) === 'queued') continue;
    void reply.header('content-type', 'application/json; charset=utf-8').send(Readable.from(spacedBody(answer), { objectMode: false }));
    return undefined;
  }
}

const stopped = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The server is shutting down. The transcription continues; send the same request again to get it.', retryable: true });
