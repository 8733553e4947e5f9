import { z } from 'zod';
import type { RawAudio } from '../../../live/audio/raw-format.js';
import type { NewLive } from '../../../live/live-schema.js';
import { invalidValues, unsupportedParameter } from '../../request-texts.js';

/** OpenAI's general form of the protocol, the one before it, and that of vLLM, whose updates have only the model. */
export type Dialect = 'ga' | 'beta' | 'vllm';

const OPENAI_RATE = 24_000;
const VLLM_RATE = 16_000;
const G711_RATE = 8000;
/** Bounds of our endpointing. */
const MIN_SILENCE_MS = 200;
const MAX_SILENCE_MS = 5000;
const MAX_UTTERANCE_MS = 20_000;

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('audio/pcm'), rate: z.int().min(8000).max(48_000).default(OPENAI_RATE) }),
  z.object({ type: z.literal('audio/pcmu') }),
  z.object({ type: z.literal('audio/pcma') }),
]);
type AudioFormat = z.output<typeof format>;

const BETA_FORMATS = { pcm16: { type: 'audio/pcm', rate: OPENAI_RATE }, g711_ulaw: { type: 'audio/pcmu' }, g711_alaw: { type: 'audio/pcma' } } as const satisfies Record<string, AudioFormat>;
type BetaFormat = keyof typeof BETA_FORMATS;
const betaFormat = z.enum(Object.keys(BETA_FORMATS) as BetaFormat[]);

const transcription = z.object({
  model: z.string().max(200).nullish(),
  language: z.string().max(40).nullish(),
  languages: z.array(z.string().max(40)).max(100).nullish(),
  prompt: z.string().max(100_000).nullish(),
  keywords: z.array(z.string().max(1000)).max(10_000).nullish(),
});
const turnDetection = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).default(0.5),
    prefix_padding_ms: z.int().min(0).default(300),
    silence_duration_ms: z.int().min(0).default(500),
  }),
  z.object({ type: z.literal('semantic_vad'), eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('auto') }),
]);
const noiseReduction = z.object({ type: z.enum(['near_field', 'far_field']) }).nullable();
const include = z.array(z.string()).nullish();

const generalSession = z.object({
  type: z.literal('transcription'),
  audio: z
    .object({
      input: z.object({ format: format.optional(), transcription: transcription.nullish(), turn_detection: turnDetection.nullable().optional(), noise_reduction: noiseReduction.optional() }).optional(),
    })
    .optional(),
  include,
});

const betaSession = z.object({
  input_audio_format: betaFormat.optional(),
  input_audio_transcription: transcription.nullish(),
  turn_detection: turnDetection.nullable().optional(),
  input_audio_noise_reduction: noiseReduction.optional(),
  include,
});

/** The choices of a client for its session. */
export interface RealtimeSettings {
  format: AudioFormat;
  transcription: z.output<typeof transcription>;
  /** Null: the client ends each utterance by a commit. */
  turnDetection: z.output<typeof turnDetection> | null;
  /** Repeated to the client, and without effect. */
  noiseReduction: z.output<typeof noiseReduction>;
}

/** @param model of the address */
export const defaultSettings = (model?: string): RealtimeSettings => ({
  format: { type: 'audio/pcm', rate: OPENAI_RATE },
  transcription: model === undefined ? {} : { model },
  turnDetection: { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 },
  noiseReduction: null,
});

/** The settings with the fields that an update has. @throws AppError invalid_request with the pointer of the field that is wrong */
export function updateSettings(current: RealtimeSettings, session: unknown, dialect: Dialect): RealtimeSettings {
  return dialect === 'ga' ? updateGeneral(current, readSession(generalSession, session)) : updateBeta(current, readSession(betaSession, session));
}

/**
 * The settings of a client of vLLM (vllm/entrypoints/openai/realtime/connection.py): PCM of 16 kHz, and one item that ends with the final
 * commit.
 */
export const vllmSettings = (current: RealtimeSettings, model: string | undefined): RealtimeSettings => ({
  ...current,
  format: { type: 'audio/pcm', rate: VLLM_RATE },
  transcription: { ...current.transcription, model },
  turnDetection: null,
});

function updateGeneral(current: RealtimeSettings, { audio, include: included }: z.output<typeof generalSession>): RealtimeSettings {
  refuseIncluded(included);
  const { format: chosen, transcription: asked, turn_detection: detection, noise_reduction: noise } = audio?.input ?? {};
  return merge(current, { format: chosen, transcription: asked, turnDetection: detection, noiseReduction: noise });
}

function updateBeta(current: RealtimeSettings, { input_audio_format: name, input_audio_transcription: asked, turn_detection: detection, input_audio_noise_reduction: noise, include: included }: z.output<typeof betaSession>): RealtimeSettings {
  refuseIncluded(included);
  return merge(current, { format: name && BETA_FORMATS[name], transcription: asked, turnDetection: detection, noiseReduction: noise });
}

interface Changes {
  format: AudioFormat | undefined;
  transcription: z.output<typeof transcription> | null | undefined;
  turnDetection: RealtimeSettings['turnDetection'] | undefined;
  noiseReduction: RealtimeSettings['noiseReduction'] | undefined;
}

const merge = (current: RealtimeSettings, changes: Changes): RealtimeSettings => ({
  format: changes.format ?? current.format,
  transcription: { ...current.transcription, ...changes.transcription },
  turnDetection: changes.turnDetection === undefined ? current.turnDetection : changes.turnDetection,
  noiseReduction: changes.noiseReduction === undefined ? current.noiseReduction : changes.noiseReduction,
});

/** The session as its client reads it. */
export function sessionJson(id: string, settings: RealtimeSettings, dialect: Dialect): Record<string, unknown> {
  const { format: audio, transcription: asked, turnDetection: detection, noiseReduction: noise } = settings;
  const named = { id, object: 'realtime.transcription_session' };
  if (dialect !== 'beta') return { ...named, type: 'transcription', audio: { input: { format: audio, transcription: asked, turn_detection: detection, noise_reduction: noise } } };
  return { ...named, input_audio_format: betaNameOf(audio), input_audio_transcription: asked, turn_detection: detection, input_audio_noise_reduction: noise };
}

const betaNameOf = ({ type }: AudioFormat): BetaFormat => (type === 'audio/pcm' ? 'pcm16' : type === 'audio/pcmu' ? 'g711_ulaw' : 'g711_alaw');

export const rawAudioOf = ({ format: audio }: Pick<RealtimeSettings, 'format'>): RawAudio =>
  audio.type === 'audio/pcm' ? { encoding: 'pcm_s16le', sampleRate: audio.rate, channels: 1 } : { encoding: audio.type === 'audio/pcmu' ? 'mulaw' : 'alaw', sampleRate: G711_RATE, channels: 1 };

/** The audio and the endpointing of the live session. */
export function liveAudioOf(settings: RealtimeSettings): Pick<NewLive, 'audio' | 'endpointing'> {
  const { encoding, sampleRate, channels } = rawAudioOf(settings);
  return { audio: { encoding, sample_rate: sampleRate, channels }, endpointing: { silence_ms: silenceOf(settings.turnDetection), max_utterance_ms: MAX_UTTERANCE_MS } };
}

/** A client that commits by itself has its utterances ended by pauses as rarely as possible. */
function silenceOf(detection: RealtimeSettings['turnDetection']): number {
  if (detection === null) return MAX_SILENCE_MS;
  return detection.type === 'server_vad' ? Math.min(MAX_SILENCE_MS, Math.max(MIN_SILENCE_MS, detection.silence_duration_ms)) : 500;
}

function refuseIncluded(included: readonly string[] | null | undefined): void {
  if (included && included.length > 0) throw unsupportedParameter('session/include', 'This server gives no log probabilities.');
}

function readSession<T>(schema: z.ZodType<T>, session: unknown): T {
  const { data, error } = schema.safeParse(session, { reportInput: true });
  if (error === undefined) return data;
  throw invalidValues(error, (path) => ['', 'session', ...path.map(String)].join('/'));
}
