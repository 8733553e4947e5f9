import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { jobParams, noQuery, pageOf, pageQueryOf } from '../http/schema.js';
import { speakerSchema } from '../transcriptions/job-schema.js';

const TAG = 'Speakers';
const PATH = '/api/v1/transcriptions/{job_id}/speakers';

const speakerId = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/)
  .meta({ description: 'As in `speakers` of the transcript.', example: 'S1' });

/** A name of zero-width spaces would be none (of nothing at all its length tells), and one with bidirectional embeddings would turn what stands beside it. */
const NAME = /^$|^(?=.*[\p{L}\p{N}\p{P}\p{S}])[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

const speakerList = z.object({
  data: z.array(speakerSchema),
  next_cursor: z.null().meta({ description: 'All speakers are on one page.' }),
});

export const listSpeakers = defineOperation({
  id: 'listSpeakers',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List who speaks, in the order of first speaking',
  description: 'Empty while the speakers are not told apart, and where they are not to be. A page has 100 where others have 20: all of them.',
  access: 'transcriptions:read',
  params: jobParams,
  // As many as may be: whoever does not ask for pages has all speakers on one.
  query: z.strictObject(pageQueryOf(100)),
  answers: { 200: { description: 'One page.', schema: pageOf(speakerSchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'invalid_cursor'],
});

export const renameSpeaker = defineOperation({
  id: 'renameSpeaker',
  method: 'PATCH',
  path: `${PATH}/{speaker_id}`,
  tag: TAG,
  summary: 'Name a speaker',
  description: 'The name is everywhere at once: in the transcript, its documents and search.',
  access: 'transcriptions:write',
  params: jobParams.extend({ speaker_id: speakerId }),
  query: noQuery,
  body: {
    schema: z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .regex(NAME, 'This must be one line with something to see, and no marks that turn the text around it.')
        // The pattern is more than most generators can make texts of.
        .meta({ description: 'One line with something to see.', example: 'Ada Lovelace', override: { pattern: undefined } }),
    }),
  },
  answers: { 200: { description: 'The speaker.', schema: speakerSchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'malformed_json', 'unsupported_media_type'],
});

export const mergeSpeakers = defineOperation({
  id: 'mergeSpeakers',
  method: 'POST',
  path: `${PATH}/merge`,
  tag: TAG,
  summary: 'Make two speakers one',
  description: 'All that `from` says is said by `into` from then on, everywhere. It cannot be undone.',
  access: 'transcriptions:write',
  params: jobParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        from: speakerId.meta({ description: 'Who was taken for somebody else, and is gone afterwards.', example: 'S3' }),
        into: speakerId.meta({ description: 'Who it really is, and whose name stays.', example: 'S1' }),
      })
      .refine(({ from, into }) => from !== into, { path: ['into'], message: 'This must be another speaker.' }),
  },
  answers: { 200: { description: 'The speakers that are left.', schema: speakerList } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'malformed_json', 'unsupported_media_type'],
});
