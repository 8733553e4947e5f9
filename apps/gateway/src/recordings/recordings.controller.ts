import { Controller, Inject, Module, Req, Res } from '@nestjs/common';
import { mediaKeys } from '@parlance/contracts';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpModule } from '../http/http.module.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { getMedia, getWaveform } from './recording-operations.js';
import { RecordingSender } from './recording-sender.js';
import { waveformOf } from './waveform.js';

/** Recordings, as the media store has them. */
@Controller()
class RecordingsController {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(MEDIA_STORE) private readonly store: Pick<MediaStore, 'get'>,
    @Inject(RecordingSender) private readonly sender: RecordingSender,
  ) {}

  @Serves(getMedia)
  async media(@Input() { params }: InputOf<typeof getMedia>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    await this.sender.send(await this.reader.get(ref), ref, request, reply);
  }

  @Serves(getWaveform)
  async waveform(@Input() { params, query }: InputOf<typeof getWaveform>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref: JobRef = { accountId, jobId: params.job_id };
    const job = await this.reader.get(ref);
    const { key, sizeBytes } = await this.sender.stored(job, mediaKeys(accountId, ref.jobId).peaks, 'The waveform');
    void reply.send(await waveformOf(await this.store.get(key), { sizeBytes, maxPoints: query.points, duration: job.media?.duration }));
  }
}

@Module({ imports: [HttpModule, JobsModule], controllers: [RecordingsController], providers: [RecordingSender], exports: [RecordingSender] })
export class RecordingsModule {}
