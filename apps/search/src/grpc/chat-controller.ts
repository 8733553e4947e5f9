import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { search } from '@parlance/contracts';
import { AppError, toAppError } from '@parlance/platform';
import { grpcStream } from '@parlance/runtime';
import type { Observable } from 'rxjs';
import type { Conversations } from '../chat/conversations.js';
import type { TranscriptChat } from '../chat/transcript-chat.js';
import { CHAT, CONVERSATIONS } from '../tokens.js';
import { askMessage, chatRequestOf, conversationMessage } from './chat-messages.js';

type Call = ServerWritableStream<search.AskRequest, search.AskResponse>;

/** SearchService, as far as it answers. */
@Controller()
export class ChatController {
  constructor(
    @Inject(CHAT) private readonly chat: TranscriptChat,
    @Inject(CONVERSATIONS) private readonly conversations: Conversations,
  ) {}

  @GrpcMethod('SearchService', 'ask')
  ask(request: search.AskRequest, _metadata: Metadata, call: Call): Observable<search.AskResponse> {
    return grpcStream<search.AskRequest, search.AskResponse>(call, (over) => this.answers(request, over));
  }

  @GrpcMethod('SearchService', 'getConversation')
  async getConversation(request: search.GetConversationRequest): Promise<search.GetConversationResponse> {
    return { conversation: conversationMessage(await this.conversations.get(request)) };
  }

  @GrpcMethod('SearchService', 'deleteConversation')
  async deleteConversation(request: search.DeleteConversationRequest): Promise<search.DeleteConversationResponse> {
    await this.conversations.get(request);
    await this.conversations.remove(request.conversationId);
    return {};
  }

  private async *answers(request: search.AskRequest, canceled: AbortSignal): AsyncGenerator<search.AskResponse> {
    try {
      for await (const event of this.chat.ask(chatRequestOf(request), canceled)) yield askMessage(event);
    } catch (error) {
      throw ofTheEngine(toAppError(error));
    }
  }
}

/** It is the engine that is asked too often, and not we by our caller. */
function ofTheEngine(error: AppError): AppError {
  if (error.code !== 'engine_rate_limited') return error;
  const { code, message, retryAfter } = error;
  return new AppError({ kind: 'unavailable', code, message, retryable: true, cause: error, ...(retryAfter !== undefined && { retryAfter }) });
}
