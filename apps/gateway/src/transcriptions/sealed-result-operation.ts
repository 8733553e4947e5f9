import { defineOperation } from '../http/operation.js';
import { jobParams, noQuery } from '../http/schema.js';

export const getSealedResult = defineOperation({
  id: 'getSealedResult',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/sealed',
  tag: 'Transcripts',
  summary: 'Get the sealed results of a job',
  description: 'Of a completed job with `result_key`: a compact JWE of JSON with `transcript`, `summary`, `highlights`, `chapters`, `entities` and `exports`.',
  access: 'transcriptions:read',
  params: jobParams,
  isForSealed: true,
  query: noQuery,
  answers: { 200: { description: 'The JWE.', contentTypes: ['application/jose'] } },
  problems: ['unknown_field', 'not_found', 'invalid_state'],
});
