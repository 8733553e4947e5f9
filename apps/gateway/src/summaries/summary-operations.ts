import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { integerParameter, jobId, jobParams, noQuery, openEnum, pageOf, pageQuery } from '../http/schema.js';
import { languageSchema, summaryFormat, templateRules, templateSchema } from '../transcriptions/job-options-schema.js';
import { chaptersSchema, entitiesSchema, highlightsSchema, summaryId, summarySchema, summaryStatus } from './summary-schema.js';

const TAG = 'Summaries and highlights';
const JOB = '/api/v1/transcriptions/{job_id}';

export const getSummary = defineOperation({
  id: 'getSummary',
  method: 'GET',
  path: `${JOB}/summary`,
  tag: TAG,
  summary: 'Get the job’s own summary',
  description: 'Returns the summary that the stage `summary` wrote; `invalid_state` while there is none.',
  access: 'transcriptions:read',
  params: jobParams,
  query: noQuery,
  answers: { 200: { description: 'The summary.', schema: summarySchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});

const acceptedSummary = z
  .object({
    summary_id: summaryId,
    status: openEnum(summaryStatus).meta({ description: 'The state of the summary: pending.', example: 'pending' }),
    links: z.object({ self: z.string().meta({ description: 'The path of the summary.' }) }).meta({ id: 'SummaryLinks', description: 'Where the summary can be read.' }),
  })
  .meta({ id: 'AcceptedSummary', description: 'A summary that will be written.' });

const orderSchema = z
  .strictObject({
    format: summaryFormat.optional().meta({ description: 'Default: `brief`, or `custom` when a template is given. `custom` requires a template.' }),
    template: templateSchema.optional(),
    instructions: z.string().min(1).max(2000).optional().meta({ description: 'Instructions in your own words, such as what to focus on and for which readers.' }),
    language: languageSchema.optional().meta({ description: 'BCP 47. Default: the language of the transcript. The built-in engine does not translate.' }),
  })
  .superRefine(templateRules)
  .meta({ id: 'NewSummary', description: 'Which summary to write.', example: { format: 'minutes' } });

export const createSummary = defineOperation({
  id: 'createSummary',
  method: 'POST',
  path: `${JOB}/summaries`,
  tag: TAG,
  summary: 'Create another summary of a transcript',
  description: 'A job has at most 100 summaries.',
  access: 'transcriptions:write',
  params: jobParams,
  query: noQuery,
  body: { schema: orderSchema, optional: true },
  answers: {
    202: {
      description: 'The summary, which will be written.',
      schema: acceptedSummary,
      headers: { Location: 'The summary.' },
    },
  },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout', 'storage_full'],
});

export const listSummaries = defineOperation({
  id: 'listSummaries',
  method: 'GET',
  path: `${JOB}/summaries`,
  tag: TAG,
  summary: 'List the summaries of a job, newest first',
  access: 'transcriptions:read',
  params: jobParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page of summaries, the job’s own summary included.', schema: pageOf(summarySchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_cursor'],
});

export const getOneSummary = defineOperation({
  id: 'getOneSummary',
  method: 'GET',
  path: `${JOB}/summaries/{summary_id}`,
  tag: TAG,
  summary: 'Get one summary',
  description: '`wait`, the event `summary` of the job’s stream, and the webhooks `summary.completed` and `summary.failed` report its end.',
  access: 'transcriptions:read',
  params: z.object({ job_id: jobId, summary_id: summaryId }),
  query: z.strictObject({
    wait: integerParameter(1, 60).optional().meta({ description: 'Seconds for which the server may hold the response until the summary has ended. With `If-None-Match` it responds at once when the ETag differs.' }),
  }),
  answers: { 200: { description: 'The summary as far as it is written.', schema: summarySchema } },
  problems: ['unknown_field', 'not_found', 'too_many_streams'],
});

export const deleteSummary = defineOperation({
  id: 'deleteSummary',
  method: 'DELETE',
  path: `${JOB}/summaries/{summary_id}`,
  tag: TAG,
  summary: 'Delete a summary',
  description: 'While it is being written: `invalid_state`, reason `still_running`.',
  access: 'transcriptions:write',
  params: z.object({ job_id: jobId, summary_id: summaryId }),
  query: noQuery,
  answers: { 204: { description: 'The summary is deleted.' } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'legal_hold'],
});

export const getHighlights = defineOperation({
  id: 'getHighlights',
  method: 'GET',
  path: `${JOB}/highlights`,
  tag: TAG,
  summary: 'Get the highlights of a transcript',
  description: 'Returns key moments, quotes, insights, topics and sentiment, each with times; `invalid_state` while there are none.',
  access: 'transcriptions:read',
  params: jobParams,
  query: noQuery,
  answers: { 200: { description: 'The highlights.', schema: highlightsSchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});

export const getChapters = defineOperation({
  id: 'getChapters',
  method: 'GET',
  path: `${JOB}/chapters`,
  tag: TAG,
  summary: 'Get the chapters of a recording',
  description: 'For jobs created with `chapters: true`. `exportTranscript` has them as a WebVTT file, `chapters.vtt`.',
  access: 'transcriptions:read',
  params: jobParams,
  query: noQuery,
  answers: { 200: { description: 'The chapters.', schema: chaptersSchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});

export const getEntities = defineOperation({
  id: 'getEntities',
  method: 'GET',
  path: `${JOB}/entities`,
  tag: TAG,
  summary: 'Get the entities of a recording',
  description: 'For jobs created with `entities: true`.',
  access: 'transcriptions:read',
  params: jobParams,
  query: noQuery,
  answers: { 200: { description: 'The entities.', schema: entitiesSchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});
