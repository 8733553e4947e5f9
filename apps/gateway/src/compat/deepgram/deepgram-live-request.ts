import { newLiveSchema, type NewLive } from '../../live/live-schema.js';
import { invalidValue, textOf, unsupportedParameter } from '../request-texts.js';
import { flagOf, isAsked, numberOf, type DeepgramQuery } from './deepgram-query.js';
import { deepgramRequest, invalidOptions, optionFields, singleLanguageOf, type DeepgramRequest } from './deepgram-request.js';

/** The parameters of a stream. */
export interface DeepgramLiveRequest extends DeepgramRequest {
  interimResults: boolean;
  /** False: no pause ends an utterance for the client. */
  endpointing: boolean;
  /** Milliseconds without a word after which the client gets `UtteranceEnd`; undefined: never. */
  utteranceEndMs: number | undefined;
  vadEvents: boolean;
  /** Channels of raw audio, which are mixed. */
  channels: number;
}

/** Parameters that are served for recordings alone. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  search: 'A stream is not searched. Search the transcript afterwards.',
  detect_language: 'A stream does not report the language. Without the parameter language it is detected.',
};

const RAW_ENCODINGS = { linear16: 'pcm_s16le', mulaw: 'mulaw', alaw: 'alaw' } as const;
/** Encodings that come in a container, which is recognized by its bytes. */
const CONTAINED: ReadonlySet<string> = new Set(['opus', 'ogg-opus', 'flac']);
/** The rate of telephones (ITU-T G.711). */
const TELEPHONE_RATE = 8000;

const SILENCE_MS = { min: 200, standard: 500, max: 5000 } as const;
const MAX_MS = 60_000;

/** @throws AppError invalid_request with the name of the parameter */
export function deepgramLiveRequest(query: DeepgramQuery): DeepgramLiveRequest {
  const asked = deepgramRequest(query);
  for (const [name, message] of Object.entries(UNSUPPORTED)) if (isAsked(query, name)) throw unsupportedParameter(name, message);
  if (asked.diarize) throw unsupportedParameter('diarize', 'Speakers of a stream are not detected while it runs. Order them for its job afterwards: POST /api/v1/transcriptions/{job_id}/add-ons.');
  const channels = numberOf(query, 'channels', { min: 1, max: 8 }) ?? 1;
  if (asked.multichannel && channels > 1) throw unsupportedParameter('multichannel', 'The channels of a stream are mixed. Send a stream for each channel.');
  return {
    ...asked,
    interimResults: flagOf(query, 'interim_results'),
    endpointing: textOf(query, 'endpointing')?.toLowerCase() !== 'false',
    utteranceEndMs: numberOf(query, 'utterance_end_ms', { min: 1000, max: MAX_MS }),
    vadEvents: flagOf(query, 'vad_events'),
    channels,
  };
}

/** The session that serves the stream. @param model of this server. @throws AppError invalid_request with the name of the parameter */
export function liveBodyOf(query: DeepgramQuery, asked: DeepgramLiveRequest, model: string | undefined): NewLive {
  const body = {
    ...optionFields(query, asked, model),
    language: singleLanguageOf(query),
    audio: audioOf(query, asked.channels),
    partials: asked.interimResults,
    endpointing: { silence_ms: silenceOf(query) },
  };
  const { success, data, error } = newLiveSchema.safeParse(body, { reportInput: true });
  if (!success) throw invalidOptions(error);
  return data;
}

function audioOf(query: DeepgramQuery, channels: number): object {
  const encoding = textOf(query, 'encoding')?.toLowerCase();
  if (encoding === undefined || CONTAINED.has(encoding)) return { container: 'auto' };
  if (!isRaw(encoding)) throw unsupportedParameter('encoding', `Choose ${[...Object.keys(RAW_ENCODINGS), ...CONTAINED].join(', ')}, or leave it out for audio in a container.`);
  const rate = numberOf(query, 'sample_rate', { min: 8000, max: 48_000 }) ?? (encoding === 'linear16' ? undefined : TELEPHONE_RATE);
  if (rate === undefined) throw invalidValue('sample_rate', 'It is required with this encoding.');
  return { encoding: RAW_ENCODINGS[encoding], sample_rate: rate, channels };
}

const isRaw = (encoding: string): encoding is keyof typeof RAW_ENCODINGS => Object.hasOwn(RAW_ENCODINGS, encoding);

function silenceOf(query: DeepgramQuery): number {
  if (/^(?:true|false)$/i.test(textOf(query, 'endpointing') ?? 'true')) return SILENCE_MS.standard;
  const ms = numberOf(query, 'endpointing', { min: 0, max: MAX_MS }) ?? SILENCE_MS.standard;
  return Math.round(Math.min(SILENCE_MS.max, Math.max(SILENCE_MS.min, ms)));
}
