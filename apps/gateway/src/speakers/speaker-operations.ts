import { z } from 'zod';
import { ETAG, IF_MATCH } from '../http/entity-tags.js';
import { defineOperation } from '../http/operation.js';
import { jobParams, noQuery, pageOf, pageQueryOf } from '../http/schema.js';
import { speakerSchema } from '../transcriptions/job-schema.js';
import { newSpeakerName } from './speaker-name.js';

const TAG = 'Speakers';
const PATH = '/api/v1/transcriptions/{job_id}/speakers';

const speakerId = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/)
  .meta({ description: 'The speaker’s id, as in `speakers` of the transcript.', example: 'S1' });

const renaming = z
  .strictObject({ name: newSpeakerName })
  .meta({ id: 'SpeakerChanges', description: 'What changes of a speaker.' });

export const listSpeakers = defineOperation({
  id: 'listSpeakers',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List the speakers of a transcript, in order of first appearance',
  description: 'The list is empty until diarization has completed, and without diarization. When the channels are split, each channel with speech is a speaker. A page holds all speakers.',
  access: 'transcriptions:read',
  params: jobParams,
  // The maximum is the default: a caller that does not page gets all speakers on one page.
  query: z.strictObject(pageQueryOf(100)),
  answers: { 200: { description: 'One page.', schema: pageOf(speakerSchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'invalid_cursor'],
});

export const renameSpeaker = defineOperation({
  id: 'renameSpeaker',
  method: 'PATCH',
  path: `${PATH}/{speaker_id}`,
  tag: TAG,
  summary: 'Rename a speaker',
  description: 'The new name applies everywhere at once: in the transcript, its documents and search.',
  access: ['transcriptions:write', 'transcriptions:read'],
  params: jobParams.extend({ speaker_id: speakerId }),
  query: noQuery,
  body: { schema: renaming },
  headers: IF_MATCH,
  answers: { 200: { description: 'The speaker.', schema: speakerSchema, headers: ETAG } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'precondition_failed', 'malformed_json', 'unsupported_media_type'],
});

export const mergeSpeakers = defineOperation({
  id: 'mergeSpeakers',
  method: 'POST',
  path: `${PATH}/merge`,
  tag: TAG,
  summary: 'Merge two speakers',
  description: 'All segments of `from` belong to `into` from then on, everywhere. This cannot be undone.',
  access: ['transcriptions:write', 'transcriptions:read'],
  params: jobParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        from: speakerId.meta({ description: 'The speaker that is merged and no longer exists afterwards.', example: 'S3' }),
        into: speakerId.meta({ description: 'The speaker that remains and keeps its name.', example: 'S1' }),
      })
      .refine(({ from, into }) => from !== into, { path: ['into'], message: 'This must be another speaker.' })
      .meta({ id: 'SpeakerMerge', description: 'Two speakers of which one remains.' }),
  },
  answers: { 200: { description: 'The speakers that are left, all on one page.', schema: pageOf(speakerSchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'malformed_json', 'unsupported_media_type'],
});
