import { defineOperation } from '../http/operation.js';
import { jobParams, noQuery } from '../http/schema.js';

export const streamEvents = defineOperation({
  id: 'streamEvents',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/events',
  tag: 'Transcriptions',
  summary: 'Follow a job by Server-Sent Events',
  description:
    '`status` {job_id, status}, `progress` {percent, stage, eta_seconds?}, `transcript.segment` (a segment, provisional until the ' +
    'transcript is merged) as chunks finish, and `done` {job_id, status, error?}, after which the stream ends; of a completed job whose failed stages were retried, once these have ended.',
  access: 'transcriptions:read',
  params: jobParams,
  query: noQuery,
  headers: { 'Last-Event-ID': 'The id of the last event received: the stream goes on after it. One that this job never had means from the start.' },
  answers: {
    200: { description: 'The events.', contentTypes: ['text/event-stream'] },
    204: { description: 'Last-Event-ID was that of `done`: there is nothing more, do not come again.' },
  },
  problems: ['unknown_field', 'not_found', 'not_acceptable'],
});
