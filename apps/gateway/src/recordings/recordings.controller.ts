import { Readable } from 'node:stream';
import { Controller, Inject, Module, Req, Res } from '@nestjs/common';
import { mediaKeys, type ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore, StoredObject } from '@parlance/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesTag } from '../http/entity-tags.js';
import { HttpModule } from '../http/http.module.js';
import { OpenStreams } from '../http/open-streams.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { recordingHeader } from '../transcripts/download-name.js';
import { atReadersPace } from '../transcripts/reader-pace.js';
import { byteRange, isRangeCurrent } from './byte-range.js';
import { extensionOf, mediaTypeOf } from './media-type.js';
import { getMedia, getWaveform } from './recording-operations.js';
import { waveformOf } from './waveform.js';

/** Recordings, as the media store has them. */
@Controller()
class RecordingsController {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(MEDIA_STORE) private readonly store: Pick<MediaStore, 'get' | 'head'>,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(getMedia)
  async media(@Input() { params }: InputOf<typeof getMedia>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    const job = await this.reader.get(ref);
    const { key, sizeBytes } = await this.stored(job, mediaKeys(accountId, ref.jobId).source, 'The recording');
    // A source is stored once for a job and never changes.
    const etag = `"${job.media?.sha256 || `${ref.jobId}-${sizeBytes}`}"`;
    const headers = { etag, 'cache-control': 'private, no-cache', 'accept-ranges': 'bytes' };
    if (matchesTag(request.headers['if-none-match'], etag)) return void reply.status(304).headers(headers).send();
    const range = isRangeCurrent(request.headers['if-range']?.toString(), etag) ? rangeOf(request, reply, sizeBytes) : undefined;
    const { start, end } = range ?? { start: 0, end: sizeBytes };
    void reply
      .status(range ? 206 : 200)
      .headers({ ...headers, 'content-type': mediaTypeOf(job.media), 'content-length': end - start, 'content-disposition': recordingHeader(job, extensionOf(job.media)), ...(range && { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` }) })
      .send(request.method === 'HEAD' ? Readable.from([]) : await this.bytes(key, { start, end }, reply));
  }

  @Serves(getWaveform)
  async waveform(@Input() { params, query }: InputOf<typeof getWaveform>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref: JobRef = { accountId, jobId: params.job_id };
    const job = await this.reader.get(ref);
    const { key, sizeBytes } = await this.stored(job, mediaKeys(accountId, ref.jobId).peaks, 'The waveform');
    void reply.send(await waveformOf(await this.store.get(key), { sizeBytes, maxPoints: query.points, duration: job.media?.duration }));
  }

  /** @throws AppError media_gone, invalid_state while it is not there yet or when there will be none */
  private async stored(job: ingest.Job, key: string, what: string): Promise<StoredObject> {
    const found = job.mediaRemoved ? undefined : await this.store.head(key);
    if (found) return found;
    if (job.mediaRemoved) throw new AppError({ code: 'media_gone', message: 'The media of the job was erased when its retention ended.' });
    const isOpen = !isTerminal(statusOf(job));
    throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: isOpen ? 'not_ready' : 'no_media', message: `${what} is not ${isOpen ? 'there yet' : 'stored'}.`, retryable: isOpen });
  }

  /** Begins the read first, so that an object that was removed meanwhile is a refusal. */
  private async bytes(key: string, range: { start: number; end: number }, reply: FastifyReply): Promise<Readable> {
    const signal = this.streams.signalFor(reply);
    const pieces = await this.store.get(key, range);
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

/** Without a piece taken: a client that has gone without a word. */
const STALL_MS = 60_000;

@Module({ imports: [HttpModule, JobsModule], controllers: [RecordingsController] })
export class RecordingsModule {}
