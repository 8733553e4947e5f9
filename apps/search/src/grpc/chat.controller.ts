import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, search, SearchService } from '@parlance/contracts';
import { AppError, toAppError } from '@parlance/platform';
import { Conversations } from '../chat/conversations.js';
import { TranscriptChat } from '../chat/transcript-chat.js';
import { askMessage, chatRequestOf, conversationMessage } from './chat-messages.js';

/** The part of SearchService that answers questions. */
@Controller()
export class ChatController implements Pick<SearchService, 'ask' | 'getConversation' | 'deleteConversation'> {
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

  async deleteConversation(request: search.DeleteConversationRequest): Promise<search.DeleteConversationResponse> {
    await this.conversations.get(request);
    await this.conversations.remove(request.conversationId);
    return {};
  }
}

const NEVER = new AbortController().signal;

/** Maps a rate limit of the engine to another error, since the caller has not exceeded a limit of this API. */
function ofTheEngine(error: AppError): AppError {
  if (error.code !== 'engine_rate_limited') return error;
  const { message, retryAfter } = error;
  return new AppError({ kind: 'unavailable', code: 'engine_rate_limited', message, retryable: true, cause: error, ...(retryAfter !== undefined && { retryAfter }) });
}
