import { Controller, Inject, Module, Req, Res } from '@nestjs/common';
import type { transcripts, TranscriptService } from '@parlance/contracts';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { speakerJson } from '@parlance/transcript';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ifMatchOf, versionTag } from '../http/entity-tags.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { hasTranscript, isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { noTranscript } from '../transcripts/no-transcript.js';
import { listSpeakers, mergeSpeakers, renameSpeaker } from './speaker-operations.js';
import { speakerPage } from './speaker-page.js';
import { JobsModule } from '../transcriptions/jobs.module.js';

@Controller()
class SpeakersController {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(JobReader) private readonly reader: JobReader,
  ) {}

  @Serves(listSpeakers)
  async list(@Input() { params, query }: InputOf<typeof listSpeakers>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = await this.transcriptOf(caller, params.job_id);
    const { speakers, version } = await this.transcripts.listSpeakers(ref);
    const { page, nextCursor } = speakerPage(params.job_id, speakers, query);
    void reply.headers({ etag: versionTag(version), 'cache-control': 'private, no-cache' }).send(listJson(page, nextCursor));
  }

  @Serves(renameSpeaker)
  async rename(@Input() { params, body }: InputOf<typeof renameSpeaker>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = await this.transcriptOf(caller, params.job_id);
    const { speaker, version } = await this.transcripts.renameSpeaker({ ...ref, speakerId: params.speaker_id, name: body.name, ifMatch: ifMatchOf(request) });
    void reply.header('etag', versionTag(version)).send(speaker && speakerJson(speaker));
  }

  @Serves(mergeSpeakers)
  async merge(@Input() { params, body }: InputOf<typeof mergeSpeakers>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = await this.transcriptOf(caller, params.job_id);
    const { speakers } = await this.transcripts.mergeSpeakers({ ...ref, ...body });
    void reply.status(200).send(listJson(speakers));
  }

  /** The job's owner is asked first, as it knows at once that a job is deleted. @throws AppError not_found, invalid_state while there is no transcript */
  private async transcriptOf({ accountId }: Caller, jobId: string): Promise<JobRef> {
    const ref = { accountId, jobId };
    const job = await this.reader.get(ref);
    if (!hasTranscript(job)) throw noTranscript(!isTerminal(statusOf(job)));
    return ref;
  }
}

@Module({ imports: [JobsModule], controllers: [SpeakersController] })
export class SpeakersModule {}

const listJson = (speakers: readonly transcripts.Speaker[], nextCursor: string | null = null) => ({ data: speakers.map(speakerJson), next_cursor: nextCursor });
