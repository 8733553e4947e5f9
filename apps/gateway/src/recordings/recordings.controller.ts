import { Readable } from 'node:stream';
import { Controller, Inject, Module, Req, Res } from '@nestjs/common';
import { ingest, mediaKeys, type JobService } from '@parlance/contracts';
import { JOB_SERVICE, MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesTag, tagOf } from '../http/entity-tags.js';
import { invalidFields } from '../http/field-errors.js';
import { HttpModule } from '../http/http.module.js';
import { OpenStreams } from '../http/open-streams.js';
import { withReadyStart } from '../http/ready-start.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { requireClear, requireRedacted } from './kept-recording.js';
import { CLIP_TYPES, getClip, getMedia, getWaveform } from './recording-operations.js';
import { downloadHeader } from '../transcripts/download-name.js';
import { atReadersPace } from '../transcripts/reader-pace.js';
import { RecordingSender } from './recording-sender.js';
import { waveformOf } from './waveform.js';

/** Recordings, as the media store has them. */
@Controller()
class RecordingsController {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(MEDIA_STORE) private readonly store: Pick<MediaStore, 'get'>,
    @Inject(RecordingSender) private readonly sender: RecordingSender,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'cutClip'>,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(getMedia)
  async media(@Input() { params, query }: InputOf<typeof getMedia>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    const job = await this.reader.get(ref);
    await (query.original ? this.sender.sendOriginal(job, ref, request, reply) : this.sender.send(job, ref, request, reply));
  }

  @Serves(getClip)
  async clip(@Input() { params, query }: InputOf<typeof getClip>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { start, format } = query;
    const ref: JobRef = { accountId, jobId: params.job_id };
    const job = await this.reader.get(ref);
    await this.sender.served(job);
    requireClear(job);
    const duration = Math.min(query.end, job.media?.duration ?? query.end) - start;
    if (duration <= 0) throw invalidFields([{ pointer: '?start', code: 'out_of_range', detail: `The recording has ${job.media?.duration} seconds.` }]);
    const headers = { 'cache-control': 'private, no-cache', 'content-type': CLIP_TYPES[format], 'content-disposition': downloadHeader(job, format) };
    if (request.method === 'HEAD') return void reply.headers(headers).send(Readable.from([]));
    const cut = this.jobs.cutClip({ ...ref, start, duration, format: CLIP_FORMAT[format] }, { signal: this.streams.signalFor(reply) });
    // The first bytes are awaited, so that media which cannot be cut is a refusal.
    const pieces = this.sender.whileKept(await withReadyStart(bytesOf(cut)), ref);
    void reply.headers(headers).send(Readable.from(atReadersPace(pieces, reply.raw), { objectMode: false }));
  }

  @Serves(getWaveform)
  async waveform(@Input() { params, query }: InputOf<typeof getWaveform>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref: JobRef = { accountId, jobId: params.job_id };
    const job = await this.reader.get(ref);
    requireRedacted(job);
    requireClear(job);
    const found = await this.sender.stored(job, mediaKeys(accountId, ref.jobId).peaks, 'The waveform');
    const { sizeBytes } = found;
    const duration = job.media?.duration;
    // Peaks are stored once for a job and never change.
    const etag = tagOf(ref.jobId, sizeBytes, duration, query.points);
    void reply.header('etag', etag);
    if (matchesTag(request.headers['if-none-match'], etag)) return void reply.status(304).send();
    void reply.send(await waveformOf(await this.store.get(found.key, { found }), { sizeBytes, maxPoints: query.points, duration }));
  }
}

const CLIP_FORMAT = { mp3: ingest.ClipFormat.CLIP_FORMAT_MP3, m4a: ingest.ClipFormat.CLIP_FORMAT_M4A, wav: ingest.ClipFormat.CLIP_FORMAT_WAV, ogg: ingest.ClipFormat.CLIP_FORMAT_OGG } as const;

async function* bytesOf(messages: AsyncIterable<ingest.CutClipResponse>): AsyncGenerator<Uint8Array> {
  for await (const { data } of messages) yield data;
}

@Module({ imports: [HttpModule, JobsModule], controllers: [RecordingsController], providers: [RecordingSender], exports: [RecordingSender] })
export class RecordingsModule {}
