import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { transcripts, transcription } from '@parlance/contracts';
import { callUnary, type CallContext } from '@parlance/platform';
import { speakerJson } from '@parlance/transcript';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { JOB_READER, TRANSCRIPT_CLIENT } from '../tokens.js';
import { hasTranscript, isTerminal, statusOf } from '../transcriptions/job-json.js';
import type { JobReader, JobRef } from '../transcriptions/job-reader.js';
import { noTranscript } from '../transcripts/no-transcript.js';
import { listSpeakers, mergeSpeakers, renameSpeaker } from './speaker-operations.js';
import { speakerPage } from './speaker-page.js';

@Controller()
export class SpeakersController {
  constructor(
    @Inject(TRANSCRIPT_CLIENT) private readonly client: transcription.TranscriptServiceClient,
    @Inject(JOB_READER) private readonly reader: JobReader,
  ) {}

  @Serves(listSpeakers)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = await readInput(listSpeakers, request);
    const [ref, call] = await this.transcriptOf(request, params.job_id);
    const { speakers } = await callUnary(this.client, this.client.listSpeakers, ref, call);
    const { page, nextCursor } = speakerPage(params.job_id, speakers, query);
    void reply.header('cache-control', 'private, no-cache').send(listJson(page, nextCursor));
  }

  @Serves(renameSpeaker)
  async rename(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(renameSpeaker, request);
    const [ref, call] = await this.transcriptOf(request, params.job_id);
    const { speaker } = await callUnary(this.client, this.client.renameSpeaker, { ...ref, speakerId: params.speaker_id, name: body.name }, call);
    void reply.send(speaker && speakerJson(speaker));
  }

  @Serves(mergeSpeakers)
  async merge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(mergeSpeakers, request);
    const [ref, call] = await this.transcriptOf(request, params.job_id);
    const { speakers } = await callUnary(this.client, this.client.mergeSpeakers, { ...ref, ...body }, call);
    void reply.status(200).send(listJson(speakers));
  }

  /** The job's owner is asked first, as it knows at once that a job is deleted. @throws AppError not_found, invalid_state while there is no transcript */
  private async transcriptOf(request: FastifyRequest, jobId: string): Promise<[JobRef, CallContext]> {
    const call = callContext(request);
    const ref = { accountId: callerOf(request).accountId, jobId };
    const job = await this.reader.get(ref, call);
    if (!hasTranscript(job)) throw noTranscript(!isTerminal(statusOf(job)));
    return [ref, call];
  }
}

const listJson = (speakers: readonly transcripts.Speaker[], nextCursor: string | null = null) => ({ data: speakers.map(speakerJson), next_cursor: nextCursor });
