import type { search } from '@parlance/contracts';
import { present } from '../http/schema.js';
import { timeText } from '../transcriptions/job-json.js';

export const citationJson = ({ jobId, segmentId, start, end, quote }: search.Citation) => ({ job_id: jobId, segment_id: segmentId, start, end, quote });

export const answerJson = ({ conversationId, ...rest }: search.ChatAnswer) => ({ conversation_id: conversationId, ...bareAnswerJson(rest) });

const bareAnswerJson = ({ answer, citations, grounded, engine }: Omit<search.ChatAnswer, 'conversationId'>) => ({ answer, citations: citations.map(citationJson), grounded, engine });

export const entryJson = ({ conversationId, jobId, createdAt, lastMessageAt, firstMessage, messageCount }: search.ConversationEntry) =>
  present({ conversation_id: conversationId, job_id: jobId, created_at: timeText(createdAt), last_message_at: timeText(lastMessageAt), first_message: firstMessage, message_count: messageCount });

export const conversationJson = ({ conversationId, jobId, createdAt, turns }: search.Conversation) =>
  present({
    conversation_id: conversationId,
    job_id: jobId,
    created_at: timeText(createdAt),
    messages: turns.map(({ message, answer, createdAt: at }) => ({ message, ...(answer && bareAnswerJson(answer)), created_at: timeText(at) })),
  });
