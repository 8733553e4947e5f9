import { newSpeakerName } from '../../speakers/speaker-name.js';
import type { FormFields } from '../../uploads/form-reader.js';
import { invalidValue, languageOf, MAX_TERMS, termsOf, textOf, unsupportedParameter } from '../request-texts.js';

const OUTPUTS = ['txt', 'vtt', 'srt', 'tsv', 'json'] as const;
type AsrOutput = (typeof OUTPUTS)[number];

/** A request of whisper-asr-webservice. */
export interface AsrRequest {
  output: AsrOutput;
  /** BCP 47; undefined: detected. */
  language: string | undefined;
  /** The name of an engine of this server; undefined: the default one. */
  model: string | undefined;
  vocabulary: string[];
  /** True when the segments in JSON have their words. */
  words: boolean;
  /** False, or how many speakers to expect. */
  diarization: false | { min_speakers?: number; max_speakers?: number };
  /** The name of the video that the audio is from. */
  title: string | undefined;
}

const MAX_SPEAKERS = 64;

/**
 * Reads the query of `POST /asr`, as FastAPI does: unknown parameters are ignored, empty ones are absent.
 * @throws AppError invalid_request with the name of the parameter
 */
export function asrRequest(query: FormFields): AsrRequest {
  const task = textOf(query, 'task') ?? 'transcribe';
  if (task === 'translate') throw unsupportedParameter('task', 'The speech engines of this server do not translate. Send task=transcribe, then translate the transcript: POST /api/v1/transcriptions/{job_id}/translations.');
  if (task !== 'transcribe') throw invalidValue('task', 'Choose transcribe.');
  if (flagOf(query, 'return_speaker_embeddings')) throw unsupportedParameter('return_speaker_embeddings', 'This server gives no speaker embeddings.');
  const isDiarized = flagOf(query, 'diarize') || flagOf(query, 'enable_diarization');
  return {
    output: outputOf(textOf(query, 'output')),
    language: languageOf(textOf(query, 'language')),
    model: textOf(query, 'model'),
    vocabulary: [...termsOf(textOf(query, 'initial_prompt')), ...termsOf(textOf(query, 'hotwords'))].slice(0, MAX_TERMS),
    words: isDiarized || flagOf(query, 'word_timestamps'),
    diarization: isDiarized && speakerRange(numberOf(query, 'min_speakers'), numberOf(query, 'max_speakers')),
    title: titleOf(textOf(query, 'video_file')),
  };
}

/** True when `audio_file` has no header, but bare samples: signed, 16 bits, little-endian, 16 kHz, mono. */
export const isBarePcm = (query: FormFields): boolean => !flagOf(query, 'encode', true);

function outputOf(text = 'txt'): AsrOutput {
  const output = OUTPUTS.find((each) => each === text);
  if (output === undefined) throw invalidValue('output', `Choose one of ${OUTPUTS.join(', ')}.`);
  return output;
}

function speakerRange(min: number | undefined, max: number | undefined): AsrRequest['diarization'] {
  if (min !== undefined && max !== undefined && min > max) throw invalidValue('max_speakers', 'This must not be less than min_speakers.');
  return { ...(min !== undefined && { min_speakers: min }), ...(max !== undefined && { max_speakers: max }) };
}

/** The spellings of pydantic's booleans. */
const TRUE = /^(?:true|1|on|t|y|yes)$/i;
const FALSE = /^(?:false|0|off|f|n|no)$/i;

function flagOf(query: FormFields, name: string, byDefault = false): boolean {
  const text = textOf(query, name);
  if (text === undefined) return byDefault;
  if (!TRUE.test(text) && !FALSE.test(text)) throw invalidValue(name, 'Choose true or false.');
  return TRUE.test(text);
}

function numberOf(query: FormFields, name: string): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > MAX_SPEAKERS) throw invalidValue(name, `This must be a whole number from 1 to ${MAX_SPEAKERS}.`);
  return number;
}

/** The last part of a path, where it can be a title. */
const titleOf = (path: string | undefined): string | undefined => newSpeakerName.safeParse(path?.split(/[/\\]/).at(-1)).data;
