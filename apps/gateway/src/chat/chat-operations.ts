import { z } from 'zod';
import { defineOperation, type AnswerDefinition } from '../http/operation.js';
import type { ProblemCode } from '../http/problem-catalogue.js';
import { idSchema, jobId, jobParams, noParams, noQuery, seconds, time, timeOfAnyOffset } from '../http/schema.js';
import { filterShape } from '../search/search-operations.js';
import { metadataKey } from '../transcriptions/job-options-schema.js';

const TAG = 'Chat';
const JOB = '/api/v1/transcriptions/{job_id}';

const MAX_MESSAGE_LENGTH = 4000;

const conversationId = idSchema('cht', 'cht_01k9z3v4n8e7q2xw5t6r0ybhcd');

const askShape = {
  message: z
    .string()
    .max(MAX_MESSAGE_LENGTH)
    .refine((text) => text.trim() !== '', 'This must say something.')
    .meta({ description: 'A question, in any language that the engine knows.' }),
  conversation_id: conversationId.optional().meta({ description: 'Goes on with a conversation; without it a new one begins.' }),
};

const bodyTime = timeOfAnyOffset().transform((text) => new Date(text));

const citation = z
  .object({
    job_id: jobId,
    segment_id: z.string(),
    start: seconds,
    end: seconds,
    quote: z.string().meta({ description: 'Verbatim in the transcript, which is checked.' }),
  })
  .meta({ id: 'Citation' });

const answerShape = {
  answer: z.string(),
  citations: z.array(citation),
  grounded: z.boolean().meta({ description: 'false: the transcripts do not tell, and nothing was made up.' }),
  engine: z.string(),
};

const answerSchema = z.object({ conversation_id: conversationId, ...answerShape }).meta({ id: 'ChatAnswer' });

const conversationSchema = z
  .object({
    conversation_id: conversationId,
    job_id: jobId.optional().meta({ description: 'The transcript it is about; without it, it is across transcripts.' }),
    created_at: time,
    messages: z.array(z.object({ message: z.string(), ...answerShape, created_at: time })).meta({ description: 'The oldest first.' }),
  })
  .meta({ id: 'Conversation' });

const answers: Record<number, AnswerDefinition> = {
  200: {
    description: 'The answer. With `Accept: text/event-stream` as events: `delta` {text} as it is written, `citations` {citations}, then `done` with all of it; or `error` with a problem.',
    schema: answerSchema,
    contentTypes: ['text/event-stream'],
  },
};

const ASKING: ProblemCode[] = ['unknown_field', 'not_found', 'invalid_state', 'not_acceptable', 'malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout', 'service_unavailable', 'engine_refused', 'storage_full'];

export const askTranscript = defineOperation({
  id: 'askTranscript',
  method: 'POST',
  path: `${JOB}/chat`,
  tag: TAG,
  summary: 'Ask about a transcript',
  description: 'Answered by what was said and nothing else; each answer cites the segments that say so.',
  access: 'chat',
  params: jobParams,
  query: noQuery,
  body: { schema: z.strictObject(askShape).meta({ id: 'Question', example: { message: 'What was decided about the budget?' } }) },
  answers,
  problems: ASKING,
});

export const askTranscripts = defineOperation({
  id: 'askTranscripts',
  method: 'POST',
  path: '/api/v1/chat',
  tag: TAG,
  summary: 'Ask across transcripts',
  description: 'As with one transcript, by the passages that a search with the same filters finds.',
  access: 'chat',
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        ...askShape,
        ...filterShape,
        created_after: bodyTime.optional().meta({ description: 'Of the job. RFC 3339, inclusive.', override: { type: 'string', format: 'date-time' } }),
        created_before: bodyTime.optional().meta({ description: 'Of the job. RFC 3339, exclusive.', override: { type: 'string', format: 'date-time' } }),
        metadata: z.record(metadataKey, z.string().max(512)).optional().meta({ description: 'Of the job; all must match.' }),
      })
      .meta({ id: 'QuestionAcross', example: { message: 'Who promised to call the landlord?', created_after: '2026-03-01T00:00:00Z' } }),
  },
  answers,
  problems: ASKING,
});

const conversation = { ...noParams.shape, conversation_id: conversationId };
const got: Record<number, AnswerDefinition> = { 200: { description: 'What was asked and answered.', schema: conversationSchema } };
const gone: Record<number, AnswerDefinition> = { 204: { description: 'The conversation is deleted.' } };

export const getConversation = defineOperation({
  id: 'getConversation',
  method: 'GET',
  path: '/api/v1/conversations/{conversation_id}',
  tag: TAG,
  summary: 'Get a conversation',
  access: 'chat',
  params: z.object(conversation),
  query: noQuery,
  answers: got,
  problems: ['unknown_field', 'not_found'],
});

export const deleteConversation = defineOperation({
  id: 'deleteConversation',
  method: 'DELETE',
  path: '/api/v1/conversations/{conversation_id}',
  tag: TAG,
  summary: 'Delete a conversation',
  description: 'A conversation goes by itself when a transcript is deleted by which it was answered.',
  access: 'chat',
  params: z.object(conversation),
  query: noQuery,
  answers: gone,
  problems: ['unknown_field', 'not_found'],
});

export const getTranscriptConversation = defineOperation({
  ...getConversation,
  id: 'getTranscriptConversation',
  path: `${JOB}/conversations/{conversation_id}`,
  summary: 'Get a conversation about a transcript',
  params: z.object({ job_id: jobId, conversation_id: conversationId }),
});

export const deleteTranscriptConversation = defineOperation({
  ...deleteConversation,
  id: 'deleteTranscriptConversation',
  path: `${JOB}/conversations/{conversation_id}`,
  summary: 'Delete a conversation about a transcript',
  params: z.object({ job_id: jobId, conversation_id: conversationId }),
});
