import { documentTemplateProblem, MAX_TEMPLATE_LENGTH } from '@parlance/documents';
import { CAPTION_DEFAULTS, FORMAT_NAMES, FORMATS } from '@parlance/transcript';
import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { booleanParameter, integerParameter, jobParams, numberParameter } from '../http/schema.js';
import { transcriptDocumentSchema } from '../transcriptions/job-schema.js';
import { languageSchema } from '../transcriptions/job-options-schema.js';
import { captionDefault, DOCUMENT_TITLES, TITLES_WITHOUT_ONLY_SPEAKER, TITLES_WITHOUT_TIMES } from './transcript-defaults.js';
import { MEDIA_TYPES } from './transcript-format.js';

export const formatName = z.enum(FORMAT_NAMES).meta({ id: 'TranscriptFormat', description: 'A format that transcripts are written in.' });

/** The chapters of the recording, as a file beside the formats of the transcript. */
export const CHAPTERS_FILE = 'chapters.vtt';
export const fileFormat = z.enum([...FORMAT_NAMES, CHAPTERS_FILE]).meta({ id: 'ExportFormat', description: 'A format of the transcript, or `chapters.vtt`: the chapters as a WebVTT file, for jobs with `chapters`.' });

/** The default maximum seconds of a caption. */
const MAX_CUE_S = CAPTION_DEFAULTS.maxDuration;

export const revisionParameter = integerParameter(0, 999_999_999).optional().meta({ description: 'The revision of the text; 0 is the recognised text. Default: the newest.' });

const documentOptions = {
  language: languageSchema.optional().meta({ description: 'A language into which the transcript was translated (`createTranslation`), instead of its own. JSON then has no words.' }),
  revision: revisionParameter,
  speakers: booleanParameter().optional().meta({ description: `Whether the document names the speakers. Default: when they are known; in ${TITLES_WITHOUT_ONLY_SPEAKER} only when there is more than one.` }),
  timestamps: booleanParameter().optional().meta({ description: `Whether the document contains times; captions always do. Default: true, except for ${TITLES_WITHOUT_TIMES}.` }),
  template: z
    .string()
    .min(1)
    .max(MAX_TEMPLATE_LENGTH)
    .optional()
    .meta({ description: 'Only for `md`: a Liquid template. Values: `title`, `created_at`, `language`, `duration`, `speakers`, `sections` and `paragraphs` with `speaker`, `begins_turn`, `start`, `text`; filters `clock` (of seconds) and `markdown` (escapes).', example: '# {{ title }}{% for p in paragraphs %}\n- {{ p.text | markdown }}{% endfor %}' }),
  max_line_chars: integerParameter(10, 200).optional().meta({ description: `Captions: maximum characters per line, with the speaker’s label. Default ${captionDefault('maxLineChars')}, where characters that are not wide count half.` }),
  max_lines: integerParameter(1, 10).optional().meta({ description: `Captions: maximum lines per cue. Default ${captionDefault('maxLines')}.` }),
  min_duration: numberParameter(0.1, 30).optional().meta({ description: `Captions: minimum seconds per cue. Default ${captionDefault('minDuration')}.` }),
  max_duration: numberParameter(0.5, 60).optional().meta({ description: `Captions: maximum seconds per cue. Default ${captionDefault('maxDuration')}.` }),
  max_cps: numberParameter(1, 100).optional().meta({ description: `Captions: maximum characters per second that a viewer reads. Default ${captionDefault('maxCps')}, counted likewise.` }),
};

interface CueDurations {
  min_duration?: number | undefined;
  max_duration?: number | undefined;
}

function durationRules({ min_duration: min = 0, max_duration: max }: CueDurations, context: z.RefinementCtx): void {
  if (max !== undefined && min > max) context.addIssue({ code: 'custom', path: ['max_duration'], message: 'This must not be less than min_duration.' });
  if (max === undefined && min > MAX_CUE_S) context.addIssue({ code: 'custom', path: ['min_duration'], message: `A value above ${MAX_CUE_S} requires a max_duration.` });
}

interface TemplateOptions extends CueDurations {
  template?: string | undefined;
}

function documentRules(options: TemplateOptions, context: z.RefinementCtx): void {
  durationRules(options, context);
  const { template } = options;
  if (template === undefined || template.length > MAX_TEMPLATE_LENGTH) return;
  const problem = documentTemplateProblem(template);
  if (problem !== undefined) context.addIssue({ code: 'custom', path: ['template'], message: problem });
}

const TAG = 'Transcripts';
const DOCUMENTS = `${DOCUMENT_TITLES} contain a title (\`metadata.title\`, or the name of the file), the summary if there is one, speakers and times.`;
const FILE_HEADERS = { 'Replaced-Characters': 'Only for `stl`: characters that its Latin code table lacks, and that were replaced.', 'Content-Disposition': '`filename` is the job’s id with the format, `filename*` the title or the file name of the recording with it.' };

export const getTranscript = defineOperation({
  id: 'getTranscript',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/transcript',
  tag: TAG,
  summary: 'Get the transcript as a document',
  description: `The format is that of \`format\`, or else of \`Accept\`. ${DOCUMENTS}`,
  access: 'transcriptions:read',
  params: jobParams,
  query: z.strictObject({ format: formatName.optional().meta({ description: 'The format. Default: by the `Accept` header.' }), ...documentOptions }).superRefine(documentRules),
  headers: { Accept: 'A media type of the answer; `format` takes precedence.' },
  answers: {
    200: {
      description: 'The transcript.',
      schema: transcriptDocumentSchema,
      contentTypes: MEDIA_TYPES.filter((type) => type !== FORMATS.json.mediaType),
      headers: FILE_HEADERS,
    },
  },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'not_acceptable', 'too_many_streams'],
});

export const exportTranscript = defineOperation({
  id: 'exportTranscript',
  method: 'GET',
  path: '/api/v1/transcriptions/{job_id}/export/{format}',
  tag: TAG,
  summary: 'Download the transcript as a file',
  description: 'Returns the documents of `getTranscript` as bytes to be saved.',
  access: 'transcriptions:read',
  params: jobParams.extend({ format: fileFormat.meta({ description: 'The format of the file.', example: 'pdf' }) }),
  query: z.strictObject(documentOptions).superRefine(documentRules),
  answers: { 200: { description: 'The file.', binary: 'The bytes of the file.', headers: FILE_HEADERS } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'too_many_streams'],
});
