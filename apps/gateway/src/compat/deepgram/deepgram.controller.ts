import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenStreams } from '../../http/open-streams.js';
import { describeProblem } from '../../http/problem.js';
import { refusedRequest } from '../../http/problem-filter.js';
import { callerOf, requireScopes } from '../../keys/key-guard.js';
import { CompatRoute } from '../compat-route.js';
import { LongAnswers } from '../long-answers.js';
import { DeepgramErrorFilter, deepgramError } from './deepgram-error.js';
import { DeepgramJobs } from './deepgram-jobs.js';
import { DeepgramWaiting } from './deepgram-waiting.js';

/** Deepgram's API for recordings (developers.deepgram.com, `listen.v1.media.transcribe`): a translator to the jobs of this server. */
@Controller()
@UseFilters(DeepgramErrorFilter)
export class DeepgramController {
  constructor(
    @Inject(DeepgramJobs) private readonly jobs: DeepgramJobs,
    @Inject(DeepgramWaiting) private readonly waiting: DeepgramWaiting,
    @Inject(LongAnswers) private readonly answers: LongAnswers,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @CompatRoute('POST', ['/compat/deepgram/v1/listen'], 'transcriptions:write')
  async listen(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireScopes(callerOf(request), ['transcriptions:read']);
    const { asked, ref } = await this.jobs.create(callerOf(request), request);
    const signal = await this.streams.hold(reply);
    reply.headers({ 'dg-request-id': ref.jobId, 'x-parlance-transcription-id': ref.jobId, 'cache-control': 'no-store' }).status(200);
    const { body } = await this.answers.body(this.waiting.answer({ ref, asked }, errorIn(request)), signal);
    void reply.header('content-type', 'application/json; charset=utf-8').send(Readable.from(body, { objectMode: false }));
  }
}

/** The error as the body of an answer whose status is sent already. */
const errorIn = (request: FastifyRequest) => (error: unknown): string => {
  const { problem } = describeProblem(error, refusedRequest(request));
  return JSON.stringify(deepgramError(problem, problem.status).body);
};
