import type { FormFields } from '../../uploads/form-reader.js';
import { invalidValue, languageOf, textOf, unsupportedParameter, vocabularyOf } from '../request-texts.js';

const OPENAI_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const;
type OpenAiFormat = (typeof OPENAI_FORMATS)[number];

/** The content of a form of OpenAI's audio API. */
export interface OpenAiRequest {
  /** As the client names it; undefined: the default one. */
  model: string | undefined;
  /** BCP 47; undefined: detected. */
  language: string | undefined;
  /** Terms of `prompt` and `keywords`. */
  vocabulary: string[];
  format: OpenAiFormat;
  /** True when `verbose_json` has the times of words. */
  words: boolean;
  stream: boolean;
  /** True when speakers are to be detected. */
  speakers: boolean;
  /** True when the answer has the log probabilities of its words. */
  logprobs: boolean;
}

/** The model of OpenAI that detects speakers. */
const SPEAKER_MODEL = 'gpt-4o-transcribe-diarize';

/**
 * Reads the fields as OpenAI's clients write them: lists as `x`, `x[]`, repeated or with commas, empty texts for absent ones. Unknown
 * fields are ignored; those that would change the form of the answer and cannot be served are refused.
 * @throws AppError invalid_request with the name of the field
 */
export function openAiRequest(fields: FormFields): OpenAiRequest {
  if (listOf(fields, 'known_speaker_references').length > 0) throw unsupportedParameter('known_speaker_references', 'This server does not recognize speakers by samples of their voices.');
  const model = textOf(fields, 'model');
  const isSpeakerModel = model === SPEAKER_MODEL;
  const format = choiceOf(fields, 'response_format', OPENAI_FORMATS) ?? 'json';
  const speakers = isSpeakerModel || format === 'diarized_json';
  if (speakers && listOf(fields, 'known_speaker_names').length > 0) throw unsupportedParameter('known_speaker_names', 'This server cannot tell which speaker has which name without samples of their voices. Name the speakers of the finished transcription.');
  const included = listOf(fields, 'include');
  for (const name of included) if (name !== 'logprobs') throw invalidValue('include', 'Choose logprobs.');
  if (included.length > 0 && (format !== 'json' || speakers)) throw unsupportedParameter('include', 'Log probabilities are in answers of the format json without speakers alone.');
  const times = listOf(fields, 'timestamp_granularities');
  for (const time of times) if (time !== 'word' && time !== 'segment') throw invalidValue('timestamp_granularities', 'Choose word, segment or both.');
  return {
    model,
    language: languageOf(textOf(fields, 'language') ?? listOf(fields, 'languages')[0]),
    vocabulary: vocabularyOf(textOf(fields, 'prompt'), listOf(fields, 'keywords')),
    format,
    words: times.includes('word'),
    stream: textOf(fields, 'stream')?.toLowerCase() === 'true',
    speakers,
    logprobs: included.length > 0,
  };
}

const listOf = (fields: FormFields, name: string): string[] =>
  [fields[name] ?? [], fields[`${name}[]`] ?? []]
    .flat(2)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

function choiceOf<T extends string>(fields: FormFields, name: string, choices: readonly T[]): T | undefined {
  const text = textOf(fields, name);
  const choice = choices.find((each) => each === text);
  if (text !== undefined && choice === undefined) throw invalidValue(name, `Choose one of ${choices.join(', ')}.`);
  return choice;
}
