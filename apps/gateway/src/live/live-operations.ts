import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { integerParameter, jobParams, noParams, noQuery } from '../http/schema.js';
import { eventToken } from '../event-streams/event-stream-operations.js';
import { REPLAYED } from '../transcriptions/transcription-operations.js';
import { createdLiveSchema, liveSchema, liveStreamEvent, liveTokenRequest, liveTokenSchema, newLiveSchema } from './live-schema.js';

const TAG = 'Live';
const PATH = '/api/v1/live';
const SESSION_PATH = `${PATH}/{job_id}` as const;

export const createLive = defineOperation({
  id: 'createLiveSession',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Create a live session',
  description: 'The session is a job, which is processing from now on. Its WebSocket takes audio and sends finals.',
  access: 'transcriptions:write',
  isWithinProject: true,
  params: noParams,
  query: noQuery,
  headers: { 'Idempotency-Key': 'As of `createTranscription`; a repeated call gets a new token.' },
  repeats: { by: 'itself' },
  body: { schema: newLiveSchema },
  answers: { 201: { description: 'The session.', schema: createdLiveSchema, headers: { Location: 'The session.', ...REPLAYED } } },
  problems: [
    'address_forbidden', 'invalid_url', 'language_unsupported', 'model_unknown', 'not_supported', 'unknown_field', 'idempotency_in_flight', 'idempotency_mismatch', 'invalid_state',
    'storage_quota_exhausted', 'quota_exhausted', 'key_budget_exhausted', 'too_many_jobs', 'too_many_live_sessions', 'no_live_capacity', 'live_ended', 'malformed_json', 'unsupported_media_type',
  ],
});

export const getLive = defineOperation({
  id: 'getLiveSession',
  method: 'GET',
  path: SESSION_PATH,
  tag: TAG,
  summary: 'Get a live session',
  description: 'Until some days after its end; its job stays.',
  access: 'transcriptions:read',
  params: jobParams,
  query: noQuery,
  answers: { 200: { description: 'The session.', schema: liveSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const createLiveToken = defineOperation({
  id: 'createLiveToken',
  method: 'POST',
  path: `${SESSION_PATH}/tokens`,
  tag: TAG,
  summary: 'Create a token of a live session',
  description: 'For the next connection of its client, or for followers.',
  access: 'transcriptions:write',
  repeats: { by: 'kept', secret: true },
  params: jobParams,
  query: noQuery,
  body: { schema: liveTokenRequest, optional: true },
  answers: { 201: { description: 'The token.', schema: liveTokenSchema } },
  problems: ['unknown_field', 'not_found', 'live_ended', 'insufficient_scope'],
});

export const endLive = defineOperation({
  id: 'endLiveSession',
  method: 'DELETE',
  path: SESSION_PATH,
  tag: TAG,
  summary: 'End a live session',
  description: 'Ends it now with what was acknowledged; its job continues. Repeated, it changes nothing. `deleteTranscription` deletes the job.',
  access: 'transcriptions:write',
  params: jobParams,
  query: noQuery,
  answers: { 202: { description: 'The session.', schema: liveSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const streamLive = defineOperation({
  id: 'streamLiveSession',
  method: 'GET',
  path: `${SESSION_PATH}/events`,
  tag: TAG,
  summary: 'Follow a live session by Server-Sent Events',
  description: 'Sends its lasting messages from the first one on, and partials; it ends after `finished`.',
  access: 'transcriptions:read',
  params: jobParams,
  acceptsTokenInQuery: true,
  query: z.strictObject({
    access_token: eventToken,
    after: integerParameter(0, 999_999_999).optional().meta({ description: 'The same as `Last-Event-ID`, which takes precedence.' }),
  }),
  headers: { 'Last-Event-ID': 'The sequence of the last message that was received.' },
  answers: { 200: { description: 'The events.', events: liveStreamEvent }, 204: { description: '`finished` was received already: do not reconnect.' } },
  problems: ['unknown_field', 'not_found', 'not_acceptable', 'too_many_streams'],
});
