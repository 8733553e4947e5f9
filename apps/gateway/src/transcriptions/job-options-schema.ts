import { languageHint } from '@parlance/languages';
import { REDACTION_POLICIES, templateProblem } from '@parlance/text-analysis';
import { z } from 'zod';
import { include } from '../deliveries/webhook-include.js';
import { webhookHeaders } from '../deliveries/webhook-headers.js';
import { audioHeadersSchema } from './audio-headers.js';
import { uploadId } from '../uploads/stored/upload-schema.js';
import { canonicalLanguage } from '../languages/language-tag.js';
import { dateOrTime } from '../http/schema.js';
import { modelName } from '../languages/model-name.js';
import { newSpeakerName } from '../speakers/speaker-name.js';
import { fillerFilter, profanityFilter } from './word-filters.js';
import { resultKey } from './result-key.js';
import { redactionAudio, redactionPolicy, redactionStyle } from './redaction-names.js';
import { vocabularyId } from '../vocabularies/vocabulary-operations.js';
import { channelMode, jobPriority } from './job-schema.js';

const MAX_URL = 2048;
const MAX_TERMS = 1000;
const MAX_PAIRS = 16;
const MAX_EXPECTED = 20;
const MAX_REPLACEMENTS = 500;
const MAX_FILTERED = 200;

export const languageSchema = z
  .string()
  .max(64)
  .transform((tag, context) => {
    const canonical = canonicalLanguage(tag);
    if (canonical !== undefined) return canonical;
    context.addIssue({ code: 'custom', message: ['This is not a BCP 47 language tag.', languageHint(tag)].filter(Boolean).join(' '), params: { code: 'invalid_format' } });
    return z.NEVER;
  })
  .meta({ description: 'BCP 47.', example: 'en' });

const languageDetection = z
  .strictObject({
    expected: z.array(languageSchema).min(1).max(MAX_EXPECTED).meta({ description: 'The languages that the recording may be in, the most likely one first.', example: ['de', 'en'] }),
    min_confidence: z.number().min(0).max(1).optional().meta({ description: 'A detection with a lower confidence is uncertain. Without effect where the engine gives no confidence.', example: 0.6 }),
    fallback: languageSchema.optional().meta({ description: 'The language for uncertain parts. Without it they are transcribed in the first expected language, and the job fails as `language_uncertain` when they are half of the speech or more.', example: 'de' }),
  })
  .meta({ id: 'LanguageDetection', description: 'Limits the detection to expected languages. Only for a model that reports the language (`reports_language`).' });

const language = z
  .union([languageSchema, languageDetection])
  .optional()
  .meta({ description: 'A BCP 47 tag, or an object that limits the detection. Default: the detected language, or the only one of the engine.', example: 'en' });

const MAX_TEMPLATE = 20_000;

export const templateSchema = z
  .string()
  .min(1)
  .max(MAX_TEMPLATE)
  .meta({ id: 'SummaryTemplate', description: 'Markdown with the sections of the summary. The text below a heading says what the section should contain.', example: '## Decisions\n\n## Open questions' });

/** A template is what the format `custom` is made by, and has sections. */
export function templateRules({ format, template }: { format?: string | undefined; template?: string | undefined }, context: z.RefinementCtx): void {
  const wrong = (path: string, message: string, code: string) => context.addIssue({ code: 'custom', path: [path], message, params: { code } });
  if (format === 'custom' && template === undefined) wrong('template', 'The format custom needs a template.', 'required');
  if (template !== undefined && format !== undefined && format !== 'custom') wrong('format', 'With a template the format is custom.', 'invalid_value');
  const problem = template === undefined || template.length > MAX_TEMPLATE ? undefined : templateProblem(template);
  if (problem !== undefined) wrong('template', problem, 'invalid_value');
}

const SUMMARY_FORMATS = ['brief', 'detailed', 'bullets', 'minutes', 'custom'] as const;

export const summaryFormat = z.enum(SUMMARY_FORMATS).meta({ id: 'SummaryFormat', description: 'The form of a summary. `custom` requires a template.' });

const speakers = (bound: 'minimum' | 'maximum') => z.int().min(1).max(64).optional().meta({ description: `The ${bound} number of speakers.` });

const diarizationOptions = z
  .strictObject({ min_speakers: speakers('minimum'), max_speakers: speakers('maximum') })
  .refine(({ min_speakers: min = 1, max_speakers: max = 64 }) => min <= max, {
    path: ['max_speakers'],
    message: 'This must not be less than min_speakers.',
  })
  .meta({ id: 'DiarizationOptions', description: 'How many speakers to expect.' });

const diarization = z
  .union([z.boolean(), diarizationOptions])
  .default(true)
  .meta({ description: 'Whether to detect speakers, and the minimum and maximum number of speakers.' });

/** Optional, so that `files` with channels differs from `files` alone. */
const channels = channelMode.optional().meta({ override: { default: 'mix' } });

const MAX_SPLIT_CHANNELS = 8;

const channelNames = z
  .array(newSpeakerName.meta({ description: undefined, example: undefined, override: { pattern: undefined } }))
  .max(MAX_SPLIT_CHANNELS)
  .optional()
  .meta({ description: 'Names of the speakers by channel, when the channels are split.', example: ['Agent', 'Customer'] });

const summaryOptions = z
  .strictObject({
    format: summaryFormat.optional().meta({ description: 'Default: `brief`, or `custom` when a template is given.' }),
    template: templateSchema.optional(),
    language: languageSchema.optional(),
  })
  .superRefine(templateRules)
  .meta({ id: 'SummaryOptions', description: 'Which summary to write.' });

/** The body of an order of add-ons after the end of a job. */
export const addOnOrderSchema = z
  .strictObject({
    diarization: z.union([z.boolean(), diarizationOptions]).default(false).meta({ description: 'Whether to detect speakers, in the media of the job.' }),
    summary: z.union([z.boolean(), summaryOptions]).default(false).meta({ description: 'Whether to write a summary, and in which format.' }),
    highlights: z.boolean().default(false).meta({ description: 'Whether to extract highlights.' }),
    chapters: z.boolean().default(false).meta({ description: 'Whether to divide the recording into chapters.' }),
    entities: z.boolean().default(false).meta({ description: 'Whether to find entities.' }),
  })
  .refine(({ diarization: speakersAsked, summary: asked, highlights, chapters, entities }) => speakersAsked !== false || asked !== false || highlights || chapters || entities, 'The request orders nothing.')
  .meta({ id: 'AddOnOrder', description: 'The add-ons to make.' });

const summary = z
  .union([z.boolean(), summaryOptions])
  .default(true)
  .meta({ description: 'Whether to write a summary, and in which format.', override: { default: true } });

const vocabulary = z
  .array(z.unknown())
  .max(MAX_TERMS)
  .pipe(z.array(z.string().min(1).max(100)))
  .default([])
  .meta({
    description: 'Terms that the recognizer should prefer. `warnings` says when the engine has no vocabulary.',
    override: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: MAX_TERMS },
  });

const spelling = (description: string, example: string) => z.string().min(1).max(100).regex(/[\p{L}\p{N}]/u, 'This needs a letter or a digit.').meta({ description, example });

const replace = z
  .array(
    z
      .strictObject({
        from: spelling('One or more words as the engine writes them. Case, and punctuation around words, do not count.', 'parlors'),
        to: spelling('The words that take their place.', 'Parlance'),
      })
      .meta({ id: 'Replacement', description: 'A spelling that takes the place of another one.' }),
  )
  .max(MAX_REPLACEMENTS)
  .default([])
  .meta({ description: 'Spellings that take the place of those of the engine. Whole words are replaced; of several rules that fit, the one with the most words.' });

const formatting = z
  .enum(['auto', 'none'])
  .meta({ id: 'FormattingMode', description: 'Whether bare text gets punctuation and capitals.' })
  .default('auto')
  .meta({ description: '`auto`: English of a model without `formats_text` gets punctuation and capitals. `none`: it stays bare.' });

const ownWords = (kind: string) =>
  z.array(z.string().min(1).max(50).refine((text) => /[\p{L}\p{N}]/u.test(text) && !/\s/u.test(text), { message: 'This must be one word.', params: { code: 'invalid_format' } })).max(MAX_FILTERED).default([]).meta({ description: `Words that count as ${kind} beside the English list, in any language.` });

const filters = z
  .strictObject({
    profanity: profanityFilter.default('off').meta({ description: '`mask` keeps the first letter.' }),
    fillers: fillerFilter.default('off').meta({ description: 'Sounds of hesitation, such as um.' }),
    profanity_words: ownWords('profanity'),
    filler_words: ownWords('fillers'),
  })
  .optional()
  .meta({ id: 'WordFilters', description: 'Words to mask or to leave out of the text. The `raw` of words keeps them.' });

const redaction = z
  .strictObject({
    policies: z.array(redactionPolicy).min(1).max(REDACTION_POLICIES.length).transform((names) => [...new Set(names)]).meta({ description: 'The kinds; names in English alone.', override: { type: 'array', items: { $ref: '#/components/schemas/RedactionPolicy' }, minItems: 1, maxItems: REDACTION_POLICIES.length } }),
    style: redactionStyle.default('label').meta({ description: '`label`: `[PERSON_1]`. `hash`: equal in all jobs of the account. `mask`: asterisks.' }),
    audio: redactionAudio.optional(),
    keep_original: z.boolean().optional().meta({ description: 'With `audio`: keeps the original as well.' }),
  })
  .optional()
  .meta({ id: 'Redaction', description: 'Personal data to remove from the text and the recording.' });

/** Without the names that lead to an object's prototype. */
export const metadataKey = z
  .string()
  .regex(/^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_-]{1,64}$/, 'A key must have 1 to 64 letters, digits, hyphens and underscores, and must not be __proto__, constructor or prototype.');

const metadataPairs = z
  .record(metadataKey, z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, { message: `This may have at most ${MAX_PAIRS} pairs.`, params: { code: 'too_long' } })
  .meta({ id: 'NewMetadata', description: 'Returned unchanged with the job; lists can be filtered by it.', example: { project: 'apollo' } });

const metadata = metadataPairs.default({});

const unusableUrl = (message: string) => ({ message, params: { code: 'invalid_url' } });

/** Refuses URLs that the parser would silently turn into another address, and port 0. */
export const url = z
  .string()
  .min(1)
  .max(MAX_URL)
  .refine((text) => text === text.trim(), unusableUrl('The URL must not begin or end with spaces.'))
  // oxlint-disable-next-line no-control-regex
  .refine((text) => !/[\u0000-\u001f\u007f]/.test(text.trim()), unusableUrl('The URL contains a line break, a tab or another control character.'))
  .refine((text) => !text.includes(':0') || URL.parse(text)?.port !== '0', unusableUrl('Port 0 is not a valid port.'));

const hours = z.int().min(0).max(87_600);

const options = {
  model: modelName.optional().meta({ description: 'The name of the speech engine, as `GET /api/v1/models` lists it. When omitted, the default one.' }),
  language,
  callback_url: url.optional().meta({ description: 'An http(s) URL that receives the webhooks of this job.', format: 'uri', example: 'https://example.org/hook' }),
  callback_headers: webhookHeaders.optional(),
  callback_include: include.optional(),
  channels,
  channel_names: channelNames,
  diarization,
  summary,
  highlights: z.boolean().default(true).meta({ description: 'Whether to extract key moments, quotes, insights and topics.' }),
  chapters: z.boolean().default(false).meta({ description: 'Whether to divide the recording into chapters with headline and gist.' }),
  entities: z.boolean().default(false).meta({ description: 'Whether to find entities: dates, amounts, addresses, people and others.' }),
  vocabulary,
  vocabulary_id: vocabularyId.optional().meta({ description: 'A saved vocabulary, whose terms and `sounds_like` the job gets beside `vocabulary` and `replace`.' }),
  replace,
  formatting,
  numerals: z.boolean().default(false).meta({ description: 'True: English numbers, years, times, shares and amounts of money are written in figures.' }),
  filters,
  redaction,
  metadata,
  priority: jobPriority.optional().meta({ description: 'Default: `normal`.' }),
  retention_hours: hours
    .optional()
    .meta({ description: 'Hours after which the job is erased; 0 means as soon as its last webhook is settled. The account sets default and maximum.' }),
  media_retention_hours: hours
    .optional()
    .meta({ description: 'Hours after the end of the job until its media is erased; transcript and summaries stay. 0 means at its end. Media of a failed job is kept for at most a day.' }),
  result_key: resultKey.optional(),
};

const title = newSpeakerName.meta({ override: { pattern: undefined }, description: 'What people call the recording; documents and downloads are named by it.', example: 'Weekly planning' });
/** As text, because batches store their options until the job is made. */
const recordedAt = dateOrTime().transform((time) => time.toISOString()).meta({ description: 'When the recording was made.', override: { type: 'string', format: 'date-time', anyOf: undefined } });

/** Fields that describe the recording to people. */
const descriptive = { title: title.optional(), recorded_at: recordedAt.optional() };

/** The body of a change of a job. */
export const transcriptionChangesSchema = z
  .strictObject({
    title: title.nullable().optional().meta({ description: 'What people call the recording.' }),
    recorded_at: recordedAt.nullable().optional().meta({ description: 'When the recording was made.' }),
    metadata: metadataPairs.nullable().optional().meta({ description: 'All pairs; they take the place of those before.' }),
    retention_hours: hours.nullable().optional().meta({ description: 'Hours from the end of the job until it is erased; null is the default of the account. 0 erases an ended job 10 days after its end.' }),
    media_retention_hours: hours.nullable().optional().meta({ description: 'Hours from the end of the job until its media is erased; null is the default of the account.' }),
    callback_url: url.nullable().optional().meta({ description: 'An http(s) URL that receives further webhooks of this job.', format: 'uri', example: 'https://example.org/hook' }),
    callback_headers: webhookHeaders.nullable().optional().meta({ description: 'Headers for the webhooks to `callback_url`.' }),
    callback_include: include.nullable().optional().meta({ description: 'Contents of the webhooks to `callback_url`, which the job must have.' }),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'The request changes nothing.')
  .meta({ id: 'TranscriptionChanges', description: 'What changes of a job; null removes a field, and what is absent stays.' });

export type TranscriptionChanges = z.output<typeof transcriptionChangesSchema>;

/** The options of a job whose media is uploaded. */
export const uploadOptionsSchema = z.strictObject({ ...options, ...descriptive }).meta({ id: 'TranscriptionUpload', description: 'A job whose media is uploaded with it.' });

const trackFile = z
  .strictObject({ upload_id: uploadId, speaker: newSpeakerName.optional().meta({ description: 'The name of the participant.', example: 'Ada', override: { pattern: undefined } }) })
  .meta({ id: 'TrackFile', description: 'The recording of one participant.' });

export type TrackFile = z.output<typeof trackFile>;

interface GivenSource {
  audio_url?: string | undefined;
  upload_id?: string | undefined;
  audio_headers?: object | undefined;
  files?: readonly TrackFile[] | undefined;
  channels?: string;
  channel_names?: readonly string[] | undefined;
}

/** Refuses a body that names no media, or two. */
function sourceRules({ audio_url: audioUrl, upload_id: id, audio_headers: headers, files, channels: mode, channel_names: names }: GivenSource, context: z.RefinementCtx): void {
  const wrong = (path: string, message: string, code: string) => context.addIssue({ code: 'custom', path: [path], message, params: { code } });
  if (files && (audioUrl !== undefined || id !== undefined)) wrong('files', 'Send files, an audio_url or an upload_id, not two of them.', 'invalid_value');
  if (files && (mode !== undefined || names)) wrong(names ? 'channel_names' : 'channels', 'Each of the files is a channel, and has the name of its speaker.', 'invalid_value');
  if (!files && audioUrl === undefined && id === undefined) wrong('audio_url', 'An audio_url, an upload_id or files are required.', 'required');
  if (audioUrl === undefined && headers !== undefined) wrong('audio_headers', 'Headers belong to an audio_url.', 'invalid_value');
  if (audioUrl !== undefined && id !== undefined) wrong('upload_id', 'Send an audio_url or an upload_id, not both.', 'invalid_value');
}

/** The body of a creation by the URL of the media, or by an upload. */
export const newTranscriptionSchema = z
  .strictObject({
    audio_url: url.optional().meta({ description: 'The http(s) URL of the audio or video file. Either this or `upload_id` is required.', format: 'uri', example: 'https://example.org/meeting.mp3' }),
    upload_id: uploadId.optional().meta({ description: 'A completed upload of the account, instead of `audio_url`. The job gets a copy of its own.' }),
    audio_headers: audioHeadersSchema.optional(),
    files: z.array(trackFile).min(2).max(MAX_SPLIT_CHANNELS).optional().meta({ description: 'Completed uploads, one of each participant of a meeting, all beginning at the same time, instead of `audio_url`. Each file is transcribed apart and is one speaker; each counts as long as the longest.' }),
    ...options,
    ...descriptive,
  })
  .superRefine(sourceRules)
  .meta({
    id: 'NewTranscription',
    description: 'A job whose media is fetched from a URL.',
    example: { audio_url: 'https://example.org/meeting.mp3', language: 'en', callback_url: 'https://example.org/hook', metadata: { project: 'apollo' } },
  });

export type UploadOptions = z.output<typeof uploadOptionsSchema>;
