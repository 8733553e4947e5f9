import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenStreams } from '../../http/open-streams.js';
import { withReadyStart } from '../../http/ready-start.js';
import { refusalText } from '../../http/refusal.js';
import { callerOf } from '../../keys/key-guard.js';
import { CompatRoute, TRANSCRIBES } from '../compat-route.js';
import { LongAnswers } from '../long-answers.js';
import { DeepgramJobs } from './deepgram-jobs.js';
import { DeepgramWaiting } from './deepgram-waiting.js';

/** Deepgram's API for recordings (developers.deepgram.com, `listen.v1.media.transcribe`): a translator to the jobs of this server. */
@Controller()
export class DeepgramController {
  constructor(
    @Inject(DeepgramJobs) private readonly jobs: DeepgramJobs,
    @Inject(DeepgramWaiting) private readonly waiting: DeepgramWaiting,
    @Inject(LongAnswers) private readonly answers: LongAnswers,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @CompatRoute('POST', ['/compat/deepgram/v1/listen'], TRANSCRIBES)
  async listen(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // Before there is a job: without an answer, its transcription would be of no use.
    const signal = await this.streams.hold(reply);
    const { asked, ref } = await this.jobs.create(callerOf(request), request);
    reply.headers({ 'dg-request-id': ref.jobId, 'x-parlance-transcription-id': ref.jobId, 'cache-control': 'no-store' }).status(200);
    const { body, isSpaced } = await this.answers.body(this.waiting.answer({ ref, asked }, refusalText(request)), signal);
    void reply.header('content-type', 'application/json; charset=utf-8').send(Readable.from(isSpaced ? body : await withReadyStart(body), { objectMode: false }));
  }
}
