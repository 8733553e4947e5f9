import { z } from 'zod';
import { ETAG, IF_MATCH } from '../http/entity-tags.js';
import { defineOperation } from '../http/operation.js';
import { integerParameter, jobParams, noQuery, pageOf, pageQueryOf, segmentId } from '../http/schema.js';
import { segmentSchema } from '../transcriptions/job-schema.js';
import { editSchema, replacedSchema, replacement, revisionSchema, segmentChanges, segmentOperations } from './editing-schema.js';

const TAG = 'Transcripts';
const JOB = '/api/v1/transcriptions/{job_id}';
const SEGMENT = `${JOB}/segments/{segment_id}` as const;
const REVISION = `${JOB}/revisions/{revision}` as const;

/** An operation has up to five values, and 1,000 of them are sent at once. */
const BODY_SCALE = 4;

const EDITS = ['unknown_field', 'not_found', 'invalid_state', 'precondition_failed', 'malformed_json', 'unsupported_media_type'] as const;
const READS = ['unknown_field', 'not_found', 'invalid_state'] as const;
const REVISIONS = 'The transcript gets a new revision; `transcription.edited` announces it.';

const segmentParams = jobParams.extend({ segment_id: segmentId.regex(/^[A-Za-z0-9_.-]{1,100}$/) });
const revisionParams = jobParams.extend({ revision: integerParameter(0, 999_999_999).meta({ description: 'The number of the revision; 0 is the recognised text.', example: 1 }) });

export const getSegment = defineOperation({
  id: 'getSegment',
  method: 'GET',
  path: SEGMENT,
  tag: TAG,
  summary: 'Get a segment with its words',
  access: 'transcriptions:read',
  params: segmentParams,
  query: noQuery,
  answers: { 200: { description: 'The segment.', schema: segmentSchema } },
  problems: READS,
});

export const editSegment = defineOperation({
  id: 'editSegment',
  method: 'PATCH',
  path: SEGMENT,
  tag: TAG,
  summary: 'Edit the text or the speaker of a segment',
  description: `Possible once the job has ended. ${REVISIONS}`,
  access: ['transcriptions:write', 'transcriptions:read'],
  params: segmentParams,
  query: noQuery,
  body: { schema: segmentChanges },
  headers: IF_MATCH,
  answers: { 200: { description: 'The segment.', schema: segmentSchema, headers: ETAG } },
  problems: EDITS,
});

export const editSegments = defineOperation({
  id: 'editSegments',
  method: 'PATCH',
  path: `${JOB}/segments`,
  tag: TAG,
  summary: 'Edit, split, merge, reassign and delete segments',
  description: `Applies all operations, or none. ${REVISIONS}`,
  access: ['transcriptions:write', 'transcriptions:read'],
  params: jobParams,
  query: noQuery,
  body: { schema: segmentOperations, scale: BODY_SCALE },
  headers: IF_MATCH,
  answers: { 200: { description: 'The outcome.', schema: editSchema, headers: ETAG } },
  problems: EDITS,
});

export const replaceText = defineOperation({
  id: 'replaceText',
  method: 'POST',
  path: `${JOB}/segments/replace`,
  tag: TAG,
  summary: 'Find and replace a text',
  description: `With \`dry_run\`, shows what would change. ${REVISIONS}`,
  access: ['transcriptions:write', 'transcriptions:read'],
  params: jobParams,
  query: noQuery,
  body: { schema: replacement },
  headers: IF_MATCH,
  answers: { 200: { description: 'What was replaced.', schema: replacedSchema, headers: ETAG } },
  problems: EDITS,
});

export const listRevisions = defineOperation({
  id: 'listRevisions',
  method: 'GET',
  path: `${JOB}/revisions`,
  tag: TAG,
  summary: 'List the revisions of a transcript, newest first',
  description: 'The newest 100 are kept, and the recognised text.',
  access: 'transcriptions:read',
  params: jobParams,
  query: z.strictObject(pageQueryOf(20)),
  answers: { 200: { description: 'One page.', schema: pageOf(revisionSchema) } },
  problems: [...READS, 'invalid_cursor'],
});

export const getRevision = defineOperation({
  id: 'getRevision',
  method: 'GET',
  path: REVISION,
  tag: TAG,
  summary: 'Get what a revision changed',
  access: 'transcriptions:read',
  params: revisionParams,
  query: noQuery,
  answers: { 200: { description: 'The revision.', schema: revisionSchema } },
  problems: READS,
});

export const restoreRevision = defineOperation({
  id: 'restoreRevision',
  method: 'POST',
  path: `${REVISION}/restore`,
  tag: TAG,
  summary: 'Restore an earlier revision',
  description: `Names and merges of speakers stay. ${REVISIONS}`,
  access: ['transcriptions:write', 'transcriptions:read'],
  params: revisionParams,
  query: noQuery,
  headers: IF_MATCH,
  answers: { 200: { description: 'The outcome.', schema: editSchema, headers: ETAG } },
  problems: EDITS,
});
