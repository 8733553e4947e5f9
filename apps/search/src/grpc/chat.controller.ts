import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, search, SearchService } from '@parlance/contracts';
import { AppError, toAppError } from '@parlance/platform';
import type { ConversationDocument, StoredTurn } from '../chat/conversation.js';
import { Conversations } from '../chat/conversations.js';
import { TranscriptChat, type ChatRequest, type ChatResponse } from '../chat/transcript-chat.js';
import { filtersOf } from './search-messages.js';

/** The part of SearchService that answers questions. */
@Controller()
export class ChatController implements Pick<SearchService, 'ask' | 'getConversation' | 'listConversations' | 'deleteConversation' | 'getConversationStorage'> {
  constructor(
    @Inject(TranscriptChat) private readonly chat: TranscriptChat,
    @Inject(Conversations) private readonly conversations: Conversations,
  ) {}

  async *ask(request: search.AskRequest, { signal = NEVER }: CallOptions = {}): AsyncGenerator<search.AskResponse> {
    try {
      for await (const event of this.chat.ask(chatRequestOf(request), signal)) yield askMessage(event);
    } catch (error) {
      throw ofTheEngine(toAppError(error));
    }
  }

  async getConversation(request: search.GetConversationRequest): Promise<search.GetConversationResponse> {
    return { conversation: conversationMessage(await this.conversations.get(request)) };
  }

  async listConversations(request: search.ListConversationsRequest): Promise<search.ListConversationsResponse> {
    const { items, nextCursor } = await this.conversations.list(request);
    return { conversations: items.map(({ document }) => entryMessage(document)), nextCursor: nextCursor ?? undefined };
  }

  async deleteConversation(request: search.DeleteConversationRequest): Promise<search.DeleteConversationResponse> {
    await this.conversations.get(request);
    await this.conversations.remove(request.conversationId);
    return {};
  }

  getConversationStorage({ accountId }: search.GetConversationStorageRequest): Promise<search.GetConversationStorageResponse> {
    return this.conversations.storageOf(accountId);
  }
}

const NEVER = new AbortController().signal;

/** Maps a rate limit of the engine to another error, since the caller has not exceeded a limit of this API. */
function ofTheEngine(error: AppError): AppError {
  if (error.code !== 'engine_rate_limited') return error;
  const { message, retryAfter } = error;
  return new AppError({ kind: 'unavailable', code: 'engine_rate_limited', message, retryable: true, cause: error, ...(retryAfter !== undefined && { retryAfter }) });
}

const chatRequestOf = ({ accountId, message, conversationId, jobId, projectId, filters }: search.AskRequest): ChatRequest => ({ accountId, message, conversationId, jobId, projectId, filters: filtersOf(filters) });

const askMessage = (event: ChatResponse): search.AskResponse => ({
  event: event.type === 'delta' ? { $case: 'delta', value: event.text } : { $case: 'done', value: answerMessage(event.conversationId, event.turn) },
});

const answerMessage = (conversationId: string, { answer, citations, grounded, engine }: StoredTurn): search.ChatAnswer => ({ conversationId, answer, citations, grounded, engine });

const entryMessage = ({ id, jobId, createdAt, turns }: ConversationDocument): search.ConversationEntry => ({
  conversationId: id,
  jobId,
  createdAt: new Date(createdAt),
  lastMessageAt: new Date(turns.at(-1)?.createdAt ?? createdAt),
  firstMessage: turns[0]?.message ?? '',
  messageCount: turns.length,
});

const conversationMessage = ({ id, jobId, createdAt, turns }: ConversationDocument): search.Conversation => ({
  conversationId: id,
  jobId,
  createdAt: new Date(createdAt),
  turns: turns.map((turn) => ({ message: turn.message, answer: answerMessage(id, turn), createdAt: new Date(turn.createdAt) })),
});
