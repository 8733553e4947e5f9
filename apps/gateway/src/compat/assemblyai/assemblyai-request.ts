import type { FieldError } from '@parlance/platform';
import { z } from 'zod';
import { bodyPointer, invalidFields } from '../../http/field-errors.js';
import { check } from '../../http/request-input.js';
import { uploadOptionsSchema, url, type UploadOptions } from '../../transcriptions/job-options-schema.js';
import { invalidValue, unsupportedParameter } from '../request-texts.js';
import { languageFields, languageOf } from './assemblyai-language.js';

/** A request for a transcript: where the audio is, and the options of its job. */
interface AssemblyAiRequest {
  audioUrl: string;
  /** As the client names it; undefined: the default one. */
  model: string | undefined;
  options: UploadOptions;
}

const flag = z.boolean().nullish();
const texts = z.array(z.string().min(1).max(100)).max(1000).nullish();
const speakers = z.int().min(1).max(64).nullish();

/** The fields that are translated. */
const translated = z.object({
  audio_url: url,
  ...languageFields,
  speech_model: z.string().nullish(),
  speech_models: z.array(z.string()).nullish(),
  punctuate: flag,
  format_text: flag,
  dual_channel: flag,
  multichannel: flag,
  speaker_labels: flag,
  speakers_expected: speakers,
  speaker_options: z.looseObject({ min_speakers_expected: speakers, max_speakers_expected: speakers }).nullish(),
  word_boost: texts,
  keyterms_prompt: texts,
  custom_spelling: z.array(z.object({ from: z.union([z.string(), z.array(z.string())]), to: z.string() })).nullish(),
  filter_profanity: flag,
  disfluencies: flag,
  summarization: flag,
  summary_type: z.string().nullish(),
  auto_chapters: flag,
  entity_detection: flag,
});

type Translated = z.output<typeof translated>;

/** Hints that change no meaning, and details of features that are refused by their own name. */
const IGNORED = new Set(['boost_param', 'temperature', 'summary_model', 'content_safety_confidence', 'redact_pii_audio_quality', 'redact_pii_sub', 'webhook_auth_header_name', 'webhook_auth_header_value']);

const WHY: Readonly<Record<string, string>> = {
  webhook_url: 'Webhooks of this server have another body than those of AssemblyAI. Poll the transcript, or create the job by POST /api/v1/transcriptions with a callback_url.',
  auto_highlights: 'The highlights of this server are no key phrases: GET /api/v1/transcriptions/{job_id}/highlights.',
  audio_start_from: 'This server transcribes whole recordings.',
  audio_end_at: 'This server transcribes whole recordings.',
  prompt: 'Name terms by keyterms_prompt.',
  redact_pii: 'Redaction is in the native API: redaction of POST /api/v1/transcriptions.',
};

/** @param body of `POST /v2/transcript`. @throws AppError with the fields that are wrong, or that ask for what this server does not have */
export function assemblyAiRequest(body: unknown): AssemblyAiRequest {
  const errors: FieldError[] = [];
  const fields = check(translated, body, bodyPointer, errors);
  if (!fields || errors.length > 0) throw invalidFields(errors);
  requireTranslated(body as Record<string, unknown>);
  const options = check(uploadOptionsSchema, optionsOf(fields), bodyPointer, errors);
  if (!options || errors.length > 0) throw invalidFields(errors);
  return { audioUrl: fields.audio_url, model: modelOf(fields), options };
}

/** A feature that is not there is refused when it is requested, so that a client does not wait for what never comes. */
function requireTranslated(body: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(body)) {
    if (Object.hasOwn(translated.shape, name) || IGNORED.has(name) || isOff(value)) continue;
    throw unsupportedParameter(name, `This server does not support ${name.slice(0, 100)}. ${Object.hasOwn(WHY, name) ? WHY[name] : ''}`.trim());
  }
}

const isOff = (value: unknown): boolean => value === null || value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);

const optionsOf = (fields: Translated): z.input<typeof uploadOptionsSchema> => ({
  language: languageOf(fields),
  channels: fields.multichannel || fields.dual_channel ? 'split' : undefined,
  diarization: diarizationOf(fields),
  vocabulary: [...(fields.word_boost ?? []), ...(fields.keyterms_prompt ?? [])],
  replace: (fields.custom_spelling ?? []).flatMap(({ from, to }) => [from].flat().map((spelling) => ({ from: spelling, to }))),
  formatting: isFormatted(fields) ? 'auto' : 'none',
  numerals: isFormatted(fields),
  filters: { profanity: fields.filter_profanity ? 'mask' : 'off', fillers: fields.disfluencies ? 'off' : 'remove' },
  summary: fields.summarization ? { format: summaryFormatOf(fields.summary_type ?? 'bullets') } : false,
  highlights: false,
  chapters: fields.auto_chapters ?? false,
  entities: fields.entity_detection ?? false,
  metadata: { source: 'assemblyai' },
});

/** The first of several models counts, as they are in the order of preference. */
const modelOf = ({ speech_model: one, speech_models: several }: Translated): string | undefined => several?.[0] ?? one ?? undefined;

/** The methods of diarization are AssemblyAI's own, and choosing one changes no meaning. */
const SPEAKER_OPTIONS: ReadonlySet<string> = new Set(['min_speakers_expected', 'max_speakers_expected', 'use_two_stage_clustering', 'short_file_diarization_method', 'long_file_diarization_method']);

function diarizationOf({ speaker_labels: isAsked, speakers_expected: exact, speaker_options: range }: Translated) {
  if (!isAsked && exact) throw invalidValue('speakers_expected', 'This needs speaker_labels.');
  if (!isAsked && range) throw invalidValue('speaker_options', 'This needs speaker_labels.');
  if (exact && range) throw invalidValue('speaker_options', 'This cannot be given together with speakers_expected.');
  for (const [name, value] of Object.entries(range ?? {})) if (value && !SPEAKER_OPTIONS.has(name)) throw unsupportedParameter('speaker_options', `This server does not support ${name.slice(0, 100)}.`);
  if (!isAsked) return false;
  const min = exact ?? range?.min_speakers_expected ?? undefined;
  const max = exact ?? range?.max_speakers_expected ?? undefined;
  return { ...(min !== undefined && { min_speakers: min }), ...(max !== undefined && { max_speakers: max }) };
}

/** Punctuation, capitals and figures are switched off together. */
function isFormatted({ punctuate, format_text: formatText }: Translated): boolean {
  const [hasPunctuation, isText] = [punctuate ?? true, formatText ?? true];
  if (hasPunctuation !== isText) throw unsupportedParameter(hasPunctuation ? 'format_text' : 'punctuate', 'This server can switch off punctuate and format_text together only.');
  return isText;
}

const SUMMARY_FORMATS: Readonly<Record<string, 'bullets' | 'brief'>> = { bullets: 'bullets', bullets_verbose: 'bullets', paragraph: 'brief' };

function summaryFormatOf(type: string): 'bullets' | 'brief' {
  const format = Object.hasOwn(SUMMARY_FORMATS, type) ? SUMMARY_FORMATS[type] : undefined;
  if (format === undefined) throw unsupportedParameter('summary_type', `The summaries of this server are ${Object.keys(SUMMARY_FORMATS).join(', ')}.`);
  return format;
}
