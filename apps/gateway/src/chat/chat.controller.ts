import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { search, SearchService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { SEARCH_SERVICE } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameResources, recordShown } from '../audit/audit-requests.js';
import { HoldCheck } from '../holds/hold-check.js';
import { acceptWeights } from '../http/accept.js';
import { OpenStreams } from '../http/open-streams.js';
import { refusedRequest } from '../http/refusal.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { filtersMessage } from '../search/search-json.js';
import { hasTranscript, isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobReader } from '../transcriptions/job-reader.js';
import { noTranscript } from '../transcripts/no-transcript.js';
import { answerJson, conversationJson, entryJson } from './chat-json.js';
import { askTranscript, askTranscripts, deleteConversation, deleteTranscriptConversation, getConversation, getTranscriptConversation, listConversations } from './chat-operations.js';
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
    @Inject(SEARCH_SERVICE) private readonly searchService: SearchService,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
    @Inject(HoldCheck) private readonly holds: Pick<HoldCheck, 'requireNone'>,
  ) {}

  @Serves(askTranscript)
  async askOne(@Input() { params, body }: InputOf<typeof askTranscript>, @CurrentCaller() { accountId, projectId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // The job's owner is asked first, as it knows at once that a job is deleted.
    const job = await this.jobs.get({ accountId, jobId: params.job_id });
    if (!hasTranscript(job)) throw noTranscript(!isTerminal(statusOf(job)));
    await this.answer({ accountId, jobId: params.job_id, projectId, message: body.message, conversationId: body.conversation_id, filters: undefined }, request, reply);
  }

  @Serves(askTranscripts)
  async askAll(@Input() { body }: InputOf<typeof askTranscripts>, @CurrentCaller() { accountId, projectId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer({ accountId, jobId: undefined, projectId, message: body.message, conversationId: body.conversation_id, filters: filtersMessage(body, projectId) }, request, reply);
  }

  @Serves(listConversations)
  async list(@Input() { query }: InputOf<typeof listConversations>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { limit, cursor, job_id: jobId } = query;
    const { conversations, nextCursor } = await this.searchService.listConversations({ accountId, jobId, projectId, limit, cursor });
    void reply.header('cache-control', 'private, no-store').send({ data: conversations.map(entryJson), next_cursor: nextCursor ?? null });
  }

  @Serves(getConversation)
  async get(@Input() { params }: InputOf<typeof getConversation>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.show(params, caller, reply);
  }

  @Serves(getTranscriptConversation)
  async getOfTranscript(@Input() { params }: InputOf<typeof getTranscriptConversation>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.show(params, caller, reply);
  }

  @Serves(deleteConversation)
  async delete(@Input() { params }: InputOf<typeof deleteConversation>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.remove(params, caller, reply);
  }

  @Serves(deleteTranscriptConversation)
  async deleteOfTranscript(@Input() { params }: InputOf<typeof deleteTranscriptConversation>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.remove(params, caller, reply);
  }

  private async answer(asked: search.AskRequest, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const [json = 0, stream = 0] = acceptWeights(request.headers.accept, ['application/json', 'text/event-stream']);
    if (json === 0 && stream === 0) throw notAcceptable();
    // A model may think for longer than a connection may be silent; the next request has the server's time again.
    request.raw.setTimeout(SILENCE_MS);
    const responses = this.searchService.ask(asked, { signal: await this.streams.hold(reply) });
    void reply.header('cache-control', 'private, no-store');
    if (stream <= json) {
      const answer = await wholeAnswer(responses);
      nameResources(request, citedJobs(answer));
      return void reply.send(answerJson(answer));
    }
    const events = await answerEvents(responses, refusedRequest(request), (answer) => recordShown(request, reply, citedJobs(answer)));
    void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }).send(Readable.from(events));
  }

  private async show(params: ConversationParams, caller: Caller, reply: FastifyReply): Promise<void> {
    const { conversation } = await this.searchService.getConversation(refOf(params, caller));
    void reply.header('cache-control', 'private, no-store').send(conversation && conversationJson(conversation));
  }

  private async remove(params: ConversationParams, caller: Caller, reply: FastifyReply): Promise<void> {
    const ref = refOf(params, caller);
    const { conversation } = await this.searchService.getConversation(ref);
    await this.holds.requireNone('The conversation', caller.accountId, conversation?.jobId);
    await this.searchService.deleteConversation(ref);
    void reply.status(204).send();
  }
}

/** That the conversation or its job is of the caller's project was checked before. */
const refOf = ({ conversation_id: conversationId, job_id: jobId }: ConversationParams, { accountId }: Caller) => ({ accountId, conversationId, jobId, projectId: undefined });

const citedJobs = ({ citations }: search.ChatAnswer): string[] => citations.map(({ jobId }) => jobId);

const notAcceptable = () => new AppError({ kind: 'invalid', code: 'not_acceptable', message: 'This endpoint returns application/json or text/event-stream.' });
