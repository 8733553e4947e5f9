import { Readable } from 'node:stream';
import { Controller, Inject, Param, Req, Res } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenStreams } from '../../http/open-streams.js';
import { refusalText } from '../../http/refusal.js';
import { withReadyStart } from '../../http/ready-start.js';
import { callerOf } from '../../keys/key-guard.js';
import { CompatRoute, TRANSCRIBES } from '../compat-route.js';
import { LongAnswers } from '../long-answers.js';
import { unsupportedParameter } from '../request-texts.js';
import { isAnswerable, OpenAiJobs } from './openai-jobs.js';
import { OpenAiModels } from './openai-models.js';
import { transcriptionPaths, under } from './openai-paths.js';
import { OpenAiWaiting } from './openai-waiting.js';

const CONTENT_TYPES = { json: 'application/json; charset=utf-8', verbose_json: 'application/json; charset=utf-8', diarized_json: 'application/json; charset=utf-8', text: 'text/plain; charset=utf-8', srt: 'text/plain; charset=utf-8', vtt: 'text/vtt; charset=utf-8' } as const;

/** A text has no start without a meaning. */
const START_OF = { json: 'json', verbose_json: 'json', diarized_json: 'json', srt: 'srt', vtt: 'vtt', text: undefined } as const;

/** OpenAI's audio API (openapi.yaml, `createTranscription`): a translator to the jobs of this server. */
@Controller()
export class OpenAiController {
  constructor(
    @Inject(OpenAiJobs) private readonly jobs: OpenAiJobs,
    @Inject(OpenAiModels) private readonly models: OpenAiModels,
    @Inject(OpenAiWaiting) private readonly waiting: OpenAiWaiting,
    @Inject(LongAnswers) private readonly answers: LongAnswers,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @CompatRoute('POST', transcriptionPaths(), TRANSCRIBES)
  async transcribe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const began = performance.now();
    // Before there is a job: without an answer, its transcription would be of no use.
    const signal = await this.streams.hold(reply);
    const { asked, ref } = await this.jobs.create(callerOf(request), request);
    reply.headers({ 'x-parlance-transcription-id': ref.jobId, 'cache-control': 'no-store' }).status(200);
    if (asked.stream) return this.sendEvents(reply, this.waiting.events(ref, asked, signal, refusalText(request)));
    const isReady = (job: ingest.Job) => isAnswerable(job, asked);
    const { body, isSpaced } = await this.answers.body({ ref, isReady, body: (job, ended) => this.waiting.body(ref, asked, job, ended), failure: refusalText(request), start: START_OF[asked.format] }, signal);
    if (!isSpaced) reply.header('openai-processing-ms', String(Math.round(performance.now() - began)));
    void reply.header('content-type', CONTENT_TYPES[asked.format]).send(Readable.from(isSpaced ? body : await withReadyStart(body), { objectMode: false }));
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
