import { z } from 'zod';
import { REDACTION_STYLES, type RedactionStyle } from './redaction/redaction-style.js';
import type { Replacement } from './spelling/replace-words.js';

/** A stretch of the media in which somebody speaks, in seconds. */
export interface SpeechRegion {
  start: number;
  end: number;
}

/** One piece of the decoded audio: what one engine call gets. Positions are seconds in the media. */
export interface PlannedChunk {
  index: number;
  /** The range of the audio file, overlap included. */
  start: number;
  end: number;
  /**
   * The part this chunk is responsible for: own ranges tile [0, duration] without gap or overlap.
   * At a cut in silence it is the audio's own edge; at a cut in speech the audio reaches past it, so that the merge sees the words at the seam twice.
   */
  ownStart: number;
  ownEnd: number;
  /** Speech inside [start, end]; when empty, nothing is sent to the engine. */
  speech: SpeechRegion[];
  /** In the media store: raw s16le, 16 kHz, mono, no header. */
  audioKey: string;
  /** From 0; absent where the channels are mixed. */
  channel?: number | undefined;
}

/** The caller's options for the speech engine, the same for every chunk. */
export interface RecognitionOptions {
  /** BCP 47; without it detected where the engine can, else its only language. */
  language?: string | undefined;
  /** Limits the detection where no language is named. */
  detection?: LanguageDetection | undefined;
  vocabulary: string[];
  /** The name of the speech engine; absent: the default one. */
  model?: string | undefined;
  /** Spellings that take the place of those of the engine. */
  replace?: Replacement[] | undefined;
  /** True: words of an engine that writes neither punctuation nor capitals get them. */
  format?: boolean | undefined;
  /** True: English numbers are written in figures. */
  numerals?: boolean | undefined;
  filters?: WordFilters | undefined;
  redaction?: RedactionOptions | undefined;
  /** The object with the finals of a live session (`LiveFinals` of libs/contracts): the words are taken from it, and no engine gets the audio. */
  liveFinalsKey?: string | undefined;
}

/** Personal data that is removed from the text before anything else reads it. */
export interface RedactionOptions {
  /** Names of `RedactionPolicy` in libs/text-analysis. */
  policies: string[];
  style: RedactionStyle;
  /** The key of style `hash`: 32 bytes in base64, the same in all jobs of the account. */
  hashKey?: string | undefined;
}

/** Words that a job does not want to read. */
export interface WordFilters {
  /** True: of profanity only the first letter is kept, as in `d***`. */
  maskProfanity: boolean;
  removeProfanity: boolean;
  /** Words that count as profanity beside the English list, in any language. */
  profanityWords: string[];
  /** True: sounds of hesitation are removed. */
  removeFillers: boolean;
  /** Words that count as fillers beside the English list, in any language. */
  fillerWords: string[];
}

/** The languages that a recording may be in, all tags BCP 47. */
export interface LanguageDetection {
  expected: string[];
  /** 0 to 1. */
  minConfidence?: number | undefined;
  fallback?: string | undefined;
}

/** The joint between ingest and transcription, stored as JSON under `<account>/<job>/plan.json`. */
export interface ChunkPlan {
  jobId: string;
  /** Seconds of the decoded audio. */
  duration: number;
  sampleRate: 16000;
  options: RecognitionOptions;
  /** Number of channels that are transcribed apart; absent where they are mixed. */
  channels?: number | undefined;
  /** Display names of the speakers by channel. */
  channelNames?: string[] | undefined;
  /** By `ownStart`; own ranges of one channel tile [0, duration]. */
  chunks: PlannedChunk[];
}

const region = z.object({ start: z.number(), end: z.number() });

const schema: z.ZodType<ChunkPlan> = z.object({
  jobId: z.string(),
  duration: z.number().nonnegative(),
  sampleRate: z.literal(16000),
  options: z.object({
    language: z.string().optional(),
    detection: z.object({ expected: z.array(z.string()), minConfidence: z.number().optional(), fallback: z.string().optional() }).optional(),
    vocabulary: z.array(z.string()),
    model: z.string().optional(),
    replace: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
    format: z.boolean().optional(),
    numerals: z.boolean().optional(),
    filters: z.object({ maskProfanity: z.boolean(), removeProfanity: z.boolean(), profanityWords: z.array(z.string()), removeFillers: z.boolean(), fillerWords: z.array(z.string()) }).optional(),
    redaction: z.object({ policies: z.array(z.string()), style: z.enum(REDACTION_STYLES), hashKey: z.string().optional() }).optional(),
    liveFinalsKey: z.string().optional(),
  }),
  channels: z.int().optional(),
  channelNames: z.array(z.string()).optional(),
  chunks: z.array(region.extend({ index: z.int(), ownStart: z.number(), ownEnd: z.number(), speech: z.array(region), audioKey: z.string(), channel: z.int().optional() })),
});

/** @throws ZodError, SyntaxError when it is something else. */
export const parseChunkPlan = (json: string): ChunkPlan => schema.parse(JSON.parse(json));
