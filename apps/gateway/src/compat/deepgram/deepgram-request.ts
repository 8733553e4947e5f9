import type { z } from 'zod';
import { uploadOptionsSchema, type UploadOptions } from '../../transcriptions/job-options-schema.js';
import { invalidValue, invalidValues, languageTag, textOf, textsOf, unsupportedParameter } from '../request-texts.js';
import { flagOf, isAsked, numberOf, type DeepgramQuery } from './deepgram-query.js';

/** The parameters that a client of Deepgram's API sends with a recording or a stream. */
export interface DeepgramRequest {
  /** As the client names it; undefined: the default one. */
  model: string | undefined;
  /** True when the answer says which language was detected. */
  detectsLanguage: boolean;
  /** True when the text has punctuation and capitals. */
  formatted: boolean;
  diarize: boolean;
  /** True when each channel is transcribed apart. */
  multichannel: boolean;
  paragraphs: boolean;
  utterances: boolean;
  /** Seconds of a pause that separates utterances. */
  utteranceSplit: number;
  search: string[];
  tags: string[];
  extra: Record<string, string>;
}

/** Parameters whose results no engine here can give: an answer without them would be read as one that found nothing. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  redact: 'Redaction is in the native API: redaction of POST /api/v1/transcriptions.',
  summarize: 'Summaries are in the native API: GET /api/v1/transcriptions/{job_id}/summaries.',
  topics: 'Topics are in the native API: GET /api/v1/transcriptions/{job_id}/highlights.',
  custom_topic: 'This server does not detect topics of your own.',
  intents: 'This server does not detect intents.',
  custom_intent: 'This server does not detect intents.',
  sentiment: 'This server does not detect sentiment.',
  detect_entities: 'Entities are in the native API: entities of POST /api/v1/transcriptions.',
  dictation: 'This server does not turn spoken commands into punctuation.',
  measurements: 'This server does not abbreviate measurements.',
  callback: 'This server does not post answers in Deepgram’s form. Wait for the answer, or use callback_url of the native API.',
};

const DEFAULT_UTTERANCE_SPLIT = 0.8;
const MAX_UTTERANCE_SPLIT = 60;
/** A keyword and the boost behind it, which no engine here has. */
const KEYWORD = /^(.*?)(?::(-?\d+(?:\.\d+)?))?$/s;

/** @throws AppError invalid_request with the name of the parameter */
export function deepgramRequest(query: DeepgramQuery): DeepgramRequest {
  for (const [name, message] of Object.entries(UNSUPPORTED)) if (isAsked(query, name)) throw unsupportedParameter(name, message);
  if ((numberOf(query, 'alternatives', { min: 1, max: 10 }) ?? 1) > 1) throw unsupportedParameter('alternatives', 'This server gives one alternative.');
  const smart = flagOf(query, 'smart_format');
  const paragraphs = flagOf(query, 'paragraphs') || smart;
  return {
    model: textOf(query, 'model'),
    detectsLanguage: isAsked(query, 'detect_language') || textOf(query, 'language') === 'multi',
    formatted: flagOf(query, 'punctuate') || paragraphs,
    diarize: flagOf(query, 'diarize') || isAsked(query, 'diarize_model') || isAsked(query, 'diarize_version'),
    multichannel: flagOf(query, 'multichannel'),
    paragraphs,
    utterances: flagOf(query, 'utterances'),
    utteranceSplit: numberOf(query, 'utt_split', { min: 0, max: MAX_UTTERANCE_SPLIT }) ?? DEFAULT_UTTERANCE_SPLIT,
    search: searchOf(query),
    tags: textsOf(query, 'tag'),
    extra: extraOf(query),
  };
}

/** The options of the job. @param model of this server. @throws AppError invalid_request with the name of the parameter */
export function jobOptionsOf(query: DeepgramQuery, asked: DeepgramRequest, model: string | undefined): UploadOptions {
  const { success, data, error } = uploadOptionsSchema.safeParse({ ...optionFields(query, asked, model), language: languageOf(query), channels: asked.multichannel ? 'split' : undefined }, { reportInput: true });
  if (!success) throw invalidOptions(error);
  return data;
}

/** The fields that jobs of recordings and of streams share. */
export const optionFields = (query: DeepgramQuery, { formatted, diarize, tags, extra }: DeepgramRequest, model: string | undefined) => ({
  model,
  vocabulary: termsOf(query),
  replace: textsOf(query, 'replace').map(replacementOf),
  formatting: formatted ? 'auto' : 'none',
  numerals: flagOf(query, 'numerals') || flagOf(query, 'smart_format'),
  filters: { profanity: flagOf(query, 'profanity_filter') ? 'mask' : 'off', fillers: flagOf(query, 'filler_words') ? 'off' : 'remove' },
  diarization: diarize,
  summary: false,
  highlights: false,
  metadata: { ...extra, ...(tags.length > 0 && { tag: tags.join(',') }), source: 'deepgram' },
});

/** The parameters of Deepgram by the fields of a job that they become. */
const PARAMETERS: Readonly<Record<string, string>> = { vocabulary: 'keyterm', metadata: 'extra', audio: 'encoding' };

export const invalidOptions = (error: z.ZodError) => invalidValues(error, ([name, key]) => `/${key === 'tag' ? 'tag' : (PARAMETERS[String(name)] ?? String(name))}`);

/** A language, those that the detection is limited to, or undefined: any is detected. */
function languageOf(query: DeepgramQuery): string | { expected: string[] } | undefined {
  const expected = textsOf(query, 'detect_language').filter((text) => !/^(?:true|false|0|1)$/i.test(text));
  if (expected.length > 0) return { expected: expected.map((tag) => languageTag('detect_language', tag)) };
  return isAsked(query, 'detect_language') ? undefined : singleLanguageOf(query);
}

/** @throws AppError invalid_request */
export function singleLanguageOf(query: DeepgramQuery): string | undefined {
  const text = textOf(query, 'language');
  return text === undefined || text === 'multi' ? undefined : languageTag('language', text);
}

/** Keywords that are to be suppressed cannot be, and are left out. */
function termsOf(query: DeepgramQuery): string[] {
  const keywords = textsOf(query, 'keywords').flatMap((text) => {
    const [, term = '', boost = '1'] = KEYWORD.exec(text) ?? [];
    return Number(boost) < 0 || term === '' ? [] : [term];
  });
  return [...keywords, ...textsOf(query, 'keyterm')];
}

function replacementOf(text: string): { from: string; to: string } {
  const colon = text.indexOf(':');
  const [from, to] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  if (colon < 1 || from === '' || to === '') throw invalidValue('replace', 'Write it as find:replace; words cannot be removed.');
  return { from, to };
}

/** Each is a pass over the transcript. */
const MAX_SEARCHES = 50;

function searchOf(query: DeepgramQuery): string[] {
  const searches = textsOf(query, 'search');
  if (searches.length > MAX_SEARCHES) throw invalidValue('search', `Name at most ${MAX_SEARCHES} words or phrases.`);
  return searches;
}

function extraOf(query: DeepgramQuery): Record<string, string> {
  return Object.fromEntries(
    textsOf(query, 'extra').map((text) => {
      const colon = text.indexOf(':');
      if (colon < 1) throw invalidValue('extra', 'Write it as key:value.');
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );
}
