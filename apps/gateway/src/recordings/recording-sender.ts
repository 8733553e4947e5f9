import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys, type ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore, StoredObject } from '@parlance/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesTag } from '../http/entity-tags.js';
import { OpenStreams } from '../http/open-streams.js';
import { isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { FILE_DELIVERY, type FileDelivery } from '../transcripts/file-delivery.js';
import { recordingHeader } from '../transcripts/download-name.js';
import { atReadersPace } from '../transcripts/reader-pace.js';
import { byteRange, isRangeCurrent } from './byte-range.js';
import { extensionOf, mediaTypeOf } from './media-type.js';
import { whileKept } from './while-kept.js';

/** Sends recordings as the media store has them, whole or by ranges. */
@Injectable()
export class RecordingSender {
  constructor(
    @Inject(MEDIA_STORE) private readonly store: Pick<MediaStore, 'get' | 'head'>,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
    @Inject(JobReader) private readonly reader: Pick<JobReader, 'get'>,
  ) {}

  /** @throws AppError media_gone, invalid_state, range_not_satisfiable */
  async send(job: ingest.Job, ref: JobRef, request: FastifyRequest, reply: FastifyReply, delivery: FileDelivery = FILE_DELIVERY): Promise<void> {
    const { accountId, jobId } = ref;
    const { key, sizeBytes } = await this.stored(job, mediaKeys(accountId, jobId).source, 'The recording');
    // A source is stored once for a job and never changes.
    const etag = `"${job.media?.sha256 || `${jobId}-${sizeBytes}`}"`;
    const headers = { etag, ...delivery.headers, 'accept-ranges': 'bytes' };
    if (matchesTag(request.headers['if-none-match'], etag)) return void reply.status(304).headers(headers).send();
    const range = isRangeCurrent(request.headers['if-range']?.toString(), etag) ? rangeOf(request, reply, sizeBytes) : undefined;
    const { start, end } = range ?? { start: 0, end: sizeBytes };
    void reply
      .status(range ? 206 : 200)
      .headers({ ...headers, 'content-type': mediaTypeOf(job.media), 'content-length': end - start, 'content-disposition': recordingHeader(job, extensionOf(job.media), delivery.disposition), ...(range && { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` }) })
      .send(request.method === 'HEAD' ? Readable.from([]) : await this.bytes(key, { start, end }, ref, reply));
  }

  /** @throws AppError media_gone, invalid_state while it is not there yet or when there will be none */
  async stored(job: ingest.Job, key: string, what: string): Promise<StoredObject> {
    const found = job.mediaRemoved ? undefined : await this.store.head(key);
    if (found) return found;
    if (job.mediaRemoved) throw new AppError({ code: 'media_gone', message: statusOf(job) === 'failed' ? FAILED_MEDIA : 'The media of the job was erased when its retention ended.' });
    const isOpen = !isTerminal(statusOf(job));
    throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: isOpen ? 'not_ready' : 'no_media', message: `${what} is not ${isOpen ? 'there yet' : 'stored'}.`, retryable: isOpen });
  }

  /** The pieces of the media, or of something made of it, until the media is erased. */
  whileKept(pieces: AsyncIterable<Uint8Array>, ref: JobRef): AsyncIterable<Uint8Array> {
    return whileKept(pieces, async () => {
      if ((await this.reader.get(ref)).mediaRemoved) throw new AppError({ code: 'media_gone', message: 'The media of the job was erased.' });
    });
  }

  /** Begins the read first, so that an object that was removed meanwhile is a refusal. */
  private async bytes(key: string, range: { start: number; end: number }, ref: JobRef, reply: FastifyReply): Promise<Readable> {
    const signal = this.streams.signalFor(reply);
    const pieces = this.whileKept(await this.store.get(key, range), ref);
    const bytes = Readable.from(atReadersPace(pieces, STALL_MS, () => reply.raw.destroy()), { objectMode: false });
    signal.addEventListener('abort', () => bytes.destroy(), { once: true });
    return bytes;
  }
}

/** @throws AppError range_not_satisfiable, with the size of the file in the answer's head */
function rangeOf({ headers }: FastifyRequest, reply: FastifyReply, sizeBytes: number) {
  try {
    return byteRange(headers.range, sizeBytes);
  } catch (error) {
    void reply.header('content-range', `bytes */${sizeBytes}`);
    throw error;
  }
}

const FAILED_MEDIA = 'The media of the failed job was removed: it could not be transcribed, or the time for a retry was over.';

/** Milliseconds without a piece of the answer being read, after which the connection is closed because the client has gone. */
export const STALL_MS = 60_000;
