import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { jobParams } from '../http/schema.js';
import { jobStreamEvent } from './job-event-schema.js';

/** A token in the query of an event stream. */
export const eventToken = z.string().min(1).max(200).optional().meta({ description: 'A short-lived token (`POST /tokens`), for `EventSource`, which cannot send an Authorization header. API keys are not accepted here.', example: 'plt_01k9z3v4n8…' });

export const streamEvents = defineOperation({
  id: 'streamEvents',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/events',
  tag: 'Transcriptions',
  summary: 'Follow a job by Server-Sent Events',
  description: 'Sends `status`, `progress`, `transcript.segment` as chunks finish, `summary` when one that was requested later has ended, and `done`, which ends the stream. When stages are retried or summaries requested, `done` follows their end. The stream also ends with its key or token. A sealed job has no segments.',
  access: 'transcriptions:read',
  params: jobParams,
  isForSealed: true,
  acceptsTokenInQuery: true,
  query: z.strictObject({
    access_token: eventToken,
    last_event_id: z.string().max(100).optional().meta({ description: 'The same as the header `Last-Event-ID`, which takes precedence.', example: '8.3.0' }),
  }),
  headers: { 'Last-Event-ID': 'The id of the last event that was received; the stream continues after it. An unknown id starts it from the beginning.' },
  answers: {
    200: { description: 'The events.', events: jobStreamEvent },
    204: { description: 'Last-Event-ID was the id of `done`: no more events will follow, so do not reconnect.' },
  },
  problems: ['unknown_field', 'not_found', 'not_acceptable', 'too_many_streams'],
});
