import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { search } from '@parlance/contracts';
import { AppError, callStream, callUnary } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptWeights } from '../http/accept.js';
import { callContext } from '../http/call-context.js';
import type { OpenStreams } from '../http/open-streams.js';
import { Serves } from '../http/operation.js';
import { pathOf } from '../http/problem-filter.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { filtersMessage } from '../search/search-json.js';
import { JOB_READER, OPEN_STREAMS, SEARCH_CLIENT } from '../tokens.js';
import { hasTranscript, isTerminal, statusOf } from '../transcriptions/job-json.js';
import type { JobReader } from '../transcriptions/job-reader.js';
import { noTranscript } from '../transcripts/no-transcript.js';
import { answerJson, conversationJson } from './chat-json.js';
import { askTranscript, askTranscripts, deleteConversation, deleteTranscriptConversation, getConversation, getTranscriptConversation } from './chat-operations.js';
import { answerEvents, wholeAnswer } from './chat-stream.js';

/** Beyond the time that CHAT_TIMEOUT_SECONDS may give an answer. */
const SILENCE_MS = 620_000;

interface ConversationParams {
  job_id?: string;
  conversation_id: string;
}

@Controller()
export class ChatController {
  constructor(
    @Inject(SEARCH_CLIENT) private readonly client: search.SearchServiceClient,
    @Inject(JOB_READER) private readonly jobs: JobReader,
    @Inject(OPEN_STREAMS) private readonly streams: OpenStreams,
  ) {}

  @Serves(askTranscript)
  async askOne(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(askTranscript, request);
    const { accountId } = callerOf(request);
    // The job's owner is asked first, as it knows at once that a job is deleted.
    const job = await this.jobs.get({ accountId, jobId: params.job_id }, callContext(request));
    if (!hasTranscript(job)) throw noTranscript(!isTerminal(statusOf(job)));
    await this.answer({ accountId, jobId: params.job_id, message: body.message, conversationId: body.conversation_id, filters: undefined }, request, reply);
  }

  @Serves(askTranscripts)
  async askAll(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body } = await readInput(askTranscripts, request);
    const { accountId } = callerOf(request);
    await this.answer({ accountId, jobId: undefined, message: body.message, conversationId: body.conversation_id, filters: filtersMessage(body) }, request, reply);
  }

  @Serves(getConversation)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.show((await readInput(getConversation, request)).params, request, reply);
  }

  @Serves(getTranscriptConversation)
  async getOfTranscript(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.show((await readInput(getTranscriptConversation, request)).params, request, reply);
  }

  @Serves(deleteConversation)
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.remove((await readInput(deleteConversation, request)).params, request, reply);
  }

  @Serves(deleteTranscriptConversation)
  async deleteOfTranscript(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.remove((await readInput(deleteTranscriptConversation, request)).params, request, reply);
  }

  private async answer(asked: search.AskRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const [json = 0, stream = 0] = acceptWeights(request.headers.accept, ['application/json', 'text/event-stream']);
    if (json === 0 && stream === 0) throw notAcceptable();
    // A model may think for longer than a connection may be silent; the next request has the server's time again.
    request.raw.setTimeout(SILENCE_MS);
    const responses = callStream<search.AskRequest, search.AskResponse>(this.client, this.client.ask, asked, { ...callContext(request), signal: this.streams.signalFor(reply) });
    void reply.header('cache-control', 'private, no-store');
    if (stream <= json) return void reply.send(answerJson(await wholeAnswer(responses)));
    const events = await answerEvents(responses, { path: pathOf(request.url), id: request.id });
    void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }).send(Readable.from(events));
  }

  private async show(params: ConversationParams, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { conversation } = await callUnary(this.client, this.client.getConversation, this.ref(params, request), callContext(request));
    void reply.header('cache-control', 'private, no-store').send(conversation && conversationJson(conversation));
  }

  private async remove(params: ConversationParams, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await callUnary(this.client, this.client.deleteConversation, this.ref(params, request), callContext(request));
    void reply.status(204).send();
  }

  private ref({ conversation_id: conversationId, job_id: jobId }: ConversationParams, request: FastifyRequest) {
    return { accountId: callerOf(request).accountId, conversationId, jobId };
  }
}

const notAcceptable = () => new AppError({ kind: 'invalid', code: 'not_acceptable', message: 'Answers come as application/json or text/event-stream.' });
