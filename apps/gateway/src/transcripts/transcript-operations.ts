import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { booleanParameter, integerParameter, jobParams, numberParameter } from '../http/schema.js';
import { transcriptDocumentSchema } from '../transcriptions/job-schema.js';

/** Captions are not shown for longer where nobody asks for it. */
const LONGEST_CUE_S = 7;

export const TRANSCRIPT_FORMATS = ['json', 'txt', 'srt', 'vtt', 'docx', 'pdf'] as const;

export const getTranscript = defineOperation({
  id: 'getTranscript',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/transcript',
  tag: 'Transcripts',
  summary: 'Get the transcript as a document',
  description: 'In the format asked for by `format`, or else by `Accept`. DOCX and PDF show a title (`metadata.title`, or the name of the file), the summary when there is one, who speaks and when, in every script.',
  access: 'transcriptions:read',
  params: jobParams,
  query: z
    .strictObject({
      format: z.enum(TRANSCRIPT_FORMATS).optional(),
      speakers: booleanParameter().optional().meta({ description: 'Whether it says who speaks. Left out: where that is known, in text and SRT only where more than one person speaks.' }),
      timestamps: booleanParameter().optional().meta({ description: 'Whether it says when; captions always do. Default: all but text.' }),
      max_line_chars: integerParameter(10, 200).optional().meta({ description: 'Captions: characters a line, a speaker’s label included. Default 42; 16 in `zh`, `yue`, `ja` and `ko`, where wide characters count one and others half.' }),
      max_lines: integerParameter(1, 10).optional().meta({ description: 'Captions: lines at once. Default 2.' }),
      min_duration: numberParameter(0.1, 30).optional().meta({ description: 'Captions: seconds, at least. Default 0.833.' }),
      max_duration: numberParameter(0.5, 60).optional().meta({ description: `Captions: seconds, at most. Default ${LONGEST_CUE_S}.` }),
      max_cps: numberParameter(1, 100).optional().meta({ description: 'Captions: characters a second a viewer is asked to read. Default 20; 9 in `zh` and `yue`, 8 in `ja`, 12 in `ko`, counted alike.' }),
    })
    .superRefine(({ min_duration: min = 0, max_duration: max }, context) => {
      if (max !== undefined && min > max) context.addIssue({ code: 'custom', path: ['max_duration'], message: 'This must not be less than min_duration.' });
      if (max === undefined && min > LONGEST_CUE_S) context.addIssue({ code: 'custom', path: ['min_duration'], message: `More than ${LONGEST_CUE_S} needs a max_duration.` });
    }),
  headers: { Accept: 'application/json, text/plain, application/x-subrip, text/vtt, application/vnd.openxmlformats-officedocument.wordprocessingml.document or application/pdf; `format` comes first.' },
  answers: {
    200: {
      description: 'The transcript.',
      schema: transcriptDocumentSchema,
      contentTypes: ['text/plain', 'application/x-subrip', 'text/vtt', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'application/pdf'],
      headers: { 'Content-Disposition': 'A file name of the job’s id and the format.' },
    },
  },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'not_acceptable'],
});
