import { z } from 'zod';
import { defineOperation, type AnswerDefinition } from '../http/operation.js';
import type { ProblemCode } from '../http/problem-catalogue.js';
import { problemSchema } from '../http/problem.js';
import { endSeconds, engineName, idSchema, jobId, jobParams, noParams, noQuery, pageOf, pageQuery, segmentId, startSeconds, time, dateOrTime } from '../http/schema.js';
import { filterShape } from '../search/search-operations.js';
import { metadataKey } from '../transcriptions/job-options-schema.js';

const TAG = 'Chat';
const JOB = '/api/v1/transcriptions/{job_id}';

const MAX_MESSAGE_LENGTH = 4000;

const conversationId = idSchema('cht', 'cht_01k9z3v4n8');

const askShape = {
  message: z
    .string()
    .max(MAX_MESSAGE_LENGTH)
    .refine((text) => text.trim() !== '', 'This must contain text.')
    .meta({ description: 'A question in any language that the engine supports.' }),
  conversation_id: conversationId.optional().meta({ description: 'Continues this conversation. Default: a new one.' }),
};

const bodyTime = dateOrTime();

const citation = z
  .object({
    job_id: jobId,
    segment_id: segmentId,
    start: startSeconds,
    end: endSeconds,
    quote: z.string().meta({ description: 'The server checks that this text occurs verbatim in the transcript.' }),
  })
  .meta({ id: 'Citation', description: 'A place in a transcript that supports an answer.' });

const answerShape = {
  answer: z.string().meta({ description: 'The answer.' }),
  citations: z.array(citation).meta({ id: 'Citations', description: 'Where transcripts support the answer.' }),
  grounded: z.boolean().meta({ description: 'false means that the transcripts do not contain an answer; the engine does not invent one.' }),
  engine: engineName,
};

const answerSchema = z.object({ conversation_id: conversationId, ...answerShape }).meta({ id: 'ChatAnswer', description: 'An answer with its citations.' });

const turn = z
  .object({ message: z.string().meta({ description: 'The question.' }), ...answerShape, created_at: time })
  .meta({ id: 'ConversationTurn', description: 'A question and its answer.' });

const conversationSchema = z
  .object({
    conversation_id: conversationId,
    job_id: jobId.optional().meta({ description: 'The transcript that it is about; absent across transcripts.' }),
    created_at: time,
    messages: z.array(turn).meta({ description: 'The oldest turn comes first.' }),
  })
  .meta({ id: 'Conversation', description: 'Questions and answers that belong together.' });

const conversationEntry = z
  .object({
    conversation_id: conversationId,
    job_id: jobId.optional().meta({ description: 'The transcript that it is about; absent across transcripts.' }),
    created_at: time,
    last_message_at: time.meta({ description: 'The time of the last question.' }),
    first_message: z.string().meta({ description: 'The first question.' }),
    message_count: z.int().meta({ description: 'The number of questions.' }),
  })
  .meta({ id: 'ConversationEntry', description: 'A conversation, without its answers.' });

const named = <Name extends string>(name: Name) => ({ event: z.literal(name).meta({ description: 'The name of the event.' }) });

/** The data of each event of an answer; `event` discriminates it. */
const chatStreamEvent = z
  .discriminatedUnion('event', [
    z.object({ ...named('delta'), text: z.string().meta({ description: 'The next part of the answer.' }) }).meta({ id: 'ChatDeltaEvent', description: 'A further part of the answer.' }),
    z.object({ ...named('citations'), citations: answerShape.citations }).meta({ id: 'ChatCitationsEvent', description: 'The answer is whole; these places support it.' }),
    z.object({ ...named('done'), ...answerSchema.shape }).meta({ id: 'ChatDoneEvent', description: 'The whole answer, after which the stream ends.' }),
    z.object({ ...named('error'), ...problemSchema.shape }).meta({ id: 'ChatErrorEvent', description: 'The answer was interrupted, and the stream ends.' }),
  ])
  .meta({ id: 'ChatStreamEvent', description: 'The `data` of an event of an answer; `event` says which one it is.' });

const answers: Record<number, AnswerDefinition> = {
  200: {
    description: 'The answer. With `Accept: text/event-stream`, as events up to `done` or `error`.',
    schema: answerSchema,
    events: chatStreamEvent,
  },
};

const ASKING: ProblemCode[] = ['unknown_field', 'not_found', 'invalid_state', 'not_acceptable', 'malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout', 'service_unavailable', 'engine_refused', 'storage_full', 'too_many_streams'];

export const askTranscript = defineOperation({
  id: 'askTranscript',
  method: 'POST',
  path: `${JOB}/chat`,
  tag: TAG,
  summary: 'Ask a question about a transcript',
  description: 'The answer uses only what the transcript says, and each answer cites the segments that support it.',
  access: 'chat',
  params: jobParams,
  query: noQuery,
  body: { schema: z.strictObject(askShape).meta({ id: 'Question', description: 'A question about a transcript.', example: { message: 'What was decided about the budget?' } }) },
  answers,
  problems: ASKING,
});

export const askTranscripts = defineOperation({
  id: 'askTranscripts',
  method: 'POST',
  path: '/api/v1/chat',
  tag: TAG,
  summary: 'Ask a question across transcripts',
  description: 'Works like a question about one transcript, on the passages that a search with the same filters finds.',
  access: 'chat',
  isWithinProject: true,
  repeats: { by: 'kept', quotesJobs: true },
  params: noParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        ...askShape,
        ...filterShape,
        created_after: bodyTime.optional().meta({ description: 'Finds jobs created at this time or later.', override: { type: 'string', format: 'date-time', anyOf: undefined } }),
        created_before: bodyTime.optional().meta({ description: 'Finds jobs created before this time.', override: { type: 'string', format: 'date-time', anyOf: undefined } }),
        metadata: z.record(metadataKey, z.string().max(512)).optional().meta({ description: 'Metadata of the job; all pairs must match.' }),
      })
      .meta({ id: 'QuestionAcross', description: 'A question across transcripts.', example: { message: 'Who promised to call the landlord?', created_after: '2026-03-01T00:00:00Z' } }),
  },
  answers,
  problems: ASKING,
});

const conversation = { ...noParams.shape, conversation_id: conversationId };
const got: Record<number, AnswerDefinition> = { 200: { description: 'The questions and answers of the conversation.', schema: conversationSchema } };
const gone: Record<number, AnswerDefinition> = { 204: { description: 'The conversation is deleted.' } };

export const listConversations = defineOperation({
  id: 'listConversations',
  method: 'GET',
  path: '/api/v1/conversations',
  tag: TAG,
  summary: 'List the conversations of the account, newest first',
  access: 'chat',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject({ ...pageQuery, job_id: jobId.optional().meta({ description: 'Lists the conversations about this transcript.' }) }),
  answers: { 200: { description: 'One page.', schema: pageOf(conversationEntry) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

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
  description: 'Deleting a transcript that it was answered from deletes it too.',
  access: 'chat',
  params: z.object(conversation),
  query: noQuery,
  answers: gone,
  problems: ['unknown_field', 'not_found', 'legal_hold'],
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
