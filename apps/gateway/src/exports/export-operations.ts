import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { batchId, dateOrTime, jobId, noParams, noQuery } from '../http/schema.js';
import { metadataKey } from '../transcriptions/job-options-schema.js';
import { formatName } from '../transcripts/transcript-operations.js';

export const MAX_JOBS = 1000;

const boundary = (description: string) => dateOrTime().optional().meta({ description, override: { type: 'string', format: 'date-time', anyOf: undefined } });

const filter = z
  .strictObject({
    created_after: boundary('Jobs created at this time or later.'),
    created_before: boundary('Jobs created before this time.'),
    metadata: z.record(metadataKey, z.string().max(512)).optional().meta({ description: 'Pairs that the metadata of the jobs has.' }),
  })
  .meta({ id: 'ExportFilter', description: 'Selects completed jobs.' });

/** Exactly one of the three says which jobs are meant. */
function selectionRules({ job_ids: jobIds, batch_id: batch, filter: by }: { job_ids?: unknown; batch_id?: unknown; filter?: unknown }, context: z.RefinementCtx): void {
  const count = [jobIds, batch, by].filter((given) => given !== undefined).length;
  if (count === 0) context.addIssue({ code: 'custom', path: ['job_ids'], message: 'One of job_ids, batch_id and filter is required.', params: { code: 'required' } });
  if (count > 1) context.addIssue({ code: 'custom', path: [batch === undefined ? 'filter' : 'batch_id'], message: 'Send one of job_ids, batch_id and filter.', params: { code: 'invalid_value' } });
}

const newExport = z
  .strictObject({
    job_ids: z.array(jobId).min(1).max(MAX_JOBS).optional().meta({ description: 'The jobs, at most 1,000.' }),
    batch_id: batchId.optional().meta({ description: 'The jobs of this batch.' }),
    filter: filter.optional().meta({ description: 'The oldest 1,000 jobs that match.' }),
    formats: z.array(formatName).min(1).max(10).meta({ description: 'The files of each job.', example: ['txt', 'srt'] }),
  })
  .superRefine(selectionRules)
  .meta({ id: 'NewExport', description: 'Transcripts of many jobs as one archive.', example: { batch_id: 'bat_01k9z3v4n8', formats: ['txt', 'srt'] } });

export const createExport = defineOperation({
  id: 'createExport',
  method: 'POST',
  path: '/api/v1/exports',
  tag: 'Transcripts',
  summary: 'Download the transcripts of many jobs',
  description: 'A ZIP archive that is made while it is sent, and not stored. Its `manifest.json` lists the files of each job, and why a job has none.',
  access: 'transcriptions:read',
  isOpenInDeletion: true,
  isWithinProject: true,
  params: noParams,
  query: noQuery,
  body: { schema: newExport },
  // Nothing is created: a repeated call makes the archive again.
  repeats: { by: 'never' },
  answers: { 200: { description: 'The archive.', binary: 'The bytes of the ZIP file.', binaryTypes: ['application/zip'], headers: { 'Content-Disposition': 'A file name.' } } },
  problems: ['unknown_field', 'not_found', 'malformed_json', 'unsupported_media_type', 'payload_too_large', 'request_timeout', 'too_many_streams'],
});

export type NewExport = z.output<typeof newExport>;
