import { Readable } from 'node:stream';
import { Controller, Inject, Param, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenStreams } from '../../http/open-streams.js';
import { describeProblem } from '../../http/problem.js';
import { refusedRequest } from '../../http/problem-filter.js';
import { withReadyStart } from '../../http/ready-start.js';
import { callerOf, requireScopes } from '../../keys/key-guard.js';
import { CompatRoute } from '../compat-route.js';
import { waitOrBegin } from '../long-answer.js';
import { OpenAiErrorFilter, openAiError, unsupportedParameter } from './openai-error.js';
import { OpenAiJobs } from './openai-jobs.js';
import { OpenAiModels } from './openai-models.js';
import { OpenAiWaiting } from './openai-waiting.js';

/** The paths that OpenAI's clients call, with and without `/v1` in their base URL. */
const under = (path: string): string[] => ['/v1', '/compat/openai/v1', '/compat/openai'].map((root) => root + path);

const CONTENT_TYPES = { json: 'application/json; charset=utf-8', verbose_json: 'application/json; charset=utf-8', diarized_json: 'application/json; charset=utf-8', text: 'text/plain; charset=utf-8', srt: 'text/plain; charset=utf-8', vtt: 'text/vtt; charset=utf-8' } as const;

/** OpenAI's audio API (openapi.yaml, `createTranscription`): a translator to the jobs of this server. */
@Controller()
@UseFilters(OpenAiErrorFilter)
export class OpenAiController {
  constructor(
    @Inject(OpenAiJobs) private readonly jobs: OpenAiJobs,
    @Inject(OpenAiModels) private readonly models: OpenAiModels,
    @Inject(OpenAiWaiting) private readonly waiting: OpenAiWaiting,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @CompatRoute('POST', under('/audio/transcriptions'), 'transcriptions:write')
  async transcribe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const began = performance.now();
    requireScopes(callerOf(request), ['transcriptions:read']);
    const { asked, ref } = await this.jobs.create(callerOf(request), request);
    const signal = await this.streams.hold(reply);
    reply.headers({ 'x-parlance-transcription-id': ref.jobId, 'cache-control': 'no-store' }).status(200);
    if (asked.stream) return this.sendEvents(reply, this.waiting.events(ref, asked, signal, errorIn(request)));
    const job = await waitOrBegin(reply, this.waiting.answer(ref, asked, signal, errorIn(request)), { isJson: asked.format.endsWith('json') });
    if (!job) return;
    const body = await withReadyStart(await this.waiting.body(ref, asked, job));
    void reply.headers({ 'content-type': CONTENT_TYPES[asked.format], 'openai-processing-ms': String(Math.round(performance.now() - began)) }).send(Readable.from(body, { objectMode: false }));
  }

  /** No engine translates by itself, and a text in the language of the recording would be the wrong answer. */
  @CompatRoute('POST', under('/audio/translations'), 'transcriptions:write')
  translate(): never {
    throw unsupportedParameter('model', 'The speech engines of this server do not translate. Transcribe the file, then translate the transcript: POST /api/v1/transcriptions/{job_id}/translations.');
  }

  @CompatRoute('GET', under('/models'), 'transcriptions:read')
  async listModels(@Res() reply: FastifyReply): Promise<void> {
    void reply.status(200).send({ object: 'list', data: await this.models.list() });
  }

  @CompatRoute('GET', under('/models/:model'), 'transcriptions:read')
  async getModel(@Param('model') model: string, @Res() reply: FastifyReply): Promise<void> {
    void reply.status(200).send(await this.models.get(model));
  }

  private sendEvents(reply: FastifyReply, events: AsyncGenerator<string>): void {
    void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }).send(Readable.from(events));
  }
}

/** The error as a part of an answer whose status is sent already. */
const errorIn = (request: FastifyRequest) => (error: unknown): string => {
  const { problem } = describeProblem(error, refusedRequest(request));
  return JSON.stringify(openAiError(problem, problem.status).body);
};
