import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys, type common, type ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore, StoredObject } from '@parlance/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesTag } from '../http/entity-tags.js';
import { OpenStreams } from '../http/open-streams.js';
import { isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { FILE_DELIVERY, type FileDelivery } from '../transcripts/file-delivery.js';
import { downloadHeader, sentExtension } from '../transcripts/download-name.js';
import { atReadersPace } from '../transcripts/reader-pace.js';
import { byteRange, isRangeCurrent } from './byte-range.js';
import { hasRedactedAudio, recordingKey, requireRedacted } from './kept-recording.js';
import { extensionOf, mediaTypeOf } from './media-type.js';
import { whileKept } from './while-kept.js';

interface ServedRecording {
  stored: StoredObject;
  etag: string;
  media: common.Media | undefined;
}

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
    return this.sendRecording(await this.served(job), { job, ref, delivery }, request, reply);
  }

  /** The recording as it came, where it is kept beside a redacted one. @throws AppError as `send` */
  async sendOriginal(job: ingest.Job, ref: JobRef, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!hasRedactedAudio(job)) return this.send(job, ref, request, reply);
    if (!job.options?.redaction?.keepOriginal) throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'no_media', message: 'The original recording is not kept.' });
    const original = await this.stored(job, mediaKeys(ref.accountId, ref.jobId).source, 'The recording');
    return this.sendRecording({ stored: original, etag: `"${ref.jobId}-${original.sizeBytes}"`, media: undefined }, { job, ref, delivery: FILE_DELIVERY }, request, reply);
  }

  /** @throws AppError media_gone, invalid_state */
  async served(job: ingest.Job): Promise<ServedRecording> {
    requireRedacted(job);
    const stored = await this.stored(job, recordingKey(job), 'The recording');
    // It is stored once for a job and never changes.
    return { stored, etag: `"${job.media?.sha256 || `${job.jobId}-${stored.sizeBytes}`}"`, media: job.media };
  }

  private async sendRecording({ stored, etag, media }: ServedRecording, { job, ref, delivery }: { job: ingest.Job; ref: JobRef; delivery: FileDelivery }, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const disposition = downloadHeader(job, extensionOf(media, sentExtension(job)), delivery.disposition);
    const headers = { etag, ...delivery.headers, 'accept-ranges': 'bytes' };
    if (matchesTag(request.headers['if-none-match'], etag)) return void reply.status(304).headers(headers).send();
    const range = isRangeCurrent(request.headers['if-range']?.toString(), etag) ? rangeOf(request, reply, stored.sizeBytes) : undefined;
    const { start, end } = range ?? { start: 0, end: stored.sizeBytes };
    void reply
      .status(range ? 206 : 200)
      .headers({ ...headers, 'content-type': mediaTypeOf(media), 'content-length': end - start, 'content-disposition': disposition, ...(range && { 'content-range': `bytes ${start}-${end - 1}/${stored.sizeBytes}` }) })
      .send(request.method === 'HEAD' ? Readable.from([]) : await this.bytes(stored, { start, end }, ref, reply));
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
  private async bytes(stored: StoredObject, range: { start: number; end: number }, ref: JobRef, reply: FastifyReply): Promise<Readable> {
    const signal = this.streams.signalFor(reply);
    const pieces = this.whileKept(await this.store.get(stored.key, { ...range, found: stored }), ref);
    const bytes = Readable.from(atReadersPace(pieces, reply.raw), { objectMode: false });
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
