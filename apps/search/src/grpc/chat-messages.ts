import type { search } from '@parlance/contracts';
import type { ConversationDocument, StoredTurn } from '../chat/conversation.js';
import type { ChatRequest, ChatResponse } from '../chat/transcript-chat.js';
import { filtersOf } from './search-messages.js';

export const chatRequestOf = ({ accountId, message, conversationId, jobId, filters }: search.AskRequest): ChatRequest => ({ accountId, message, conversationId, jobId, filters: filtersOf(filters) });

export const askMessage = (event: ChatResponse): search.AskResponse => ({
  event: event.type === 'delta' ? { $case: 'delta', value: event.text } : { $case: 'done', value: answerMessage(event.conversationId, event.turn) },
});

const answerMessage = (conversationId: string, { answer, citations, grounded, engine }: StoredTurn): search.ChatAnswer => ({ conversationId, answer, citations, grounded, engine });

export const conversationMessage = ({ id, jobId, createdAt, turns }: ConversationDocument): search.Conversation => ({
  conversationId: id,
  jobId,
  createdAt: new Date(createdAt),
  turns: turns.map((turn) => ({ message: turn.message, answer: answerMessage(id, turn), createdAt: new Date(turn.createdAt) })),
});
