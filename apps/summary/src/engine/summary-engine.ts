import type { TokenUsage } from '@parlance/engines';
import type { Evidence, SpokenLine, TextEntity } from '@parlance/text-analysis';
import type { Speaker } from '@parlance/transcript';
import type { Translator } from '../translations/translator.js';

export const SUMMARY_FORMATS = ['brief', 'detailed', 'bullets', 'minutes', 'custom'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];

/** The input of a summary: a transcript without the times of its words. */
export interface TranscriptText {
  /** BCP 47. */
  language: string;
  /** Seconds. */
  duration: number;
  speakers: readonly Speaker[];
  lines: readonly SpokenLine[];
  /** The date that words such as "tomorrow" refer to. */
  recordedAt: Date;
}

export interface SummaryRequest {
  format: SummaryFormat;
  /** With `custom`: Markdown with named sections. */
  template?: string | undefined;
  /** In the user's words: what to look at. */
  instructions?: string | undefined;
  /** BCP 47; undefined: the transcript's. */
  language?: string | undefined;
}

/** Speakers are named `[[id]]` in every text and as owners, so that a name given later shows there too. */
export interface Finding {
  text: string;
  evidence: Evidence[];
}

export interface ActionItem extends Finding {
  owner?: string | undefined;
  /** YYYY-MM-DD. */
  due?: string | undefined;
  dueText?: string | undefined;
}

export interface EngineNotice {
  code: string;
  message: string;
}

/** The origin of a result, which summaries and highlights have in common. */
export interface Provenance {
  engine: string;
  /** BCP 47. */
  language: string;
  /** Items of the engine that were dropped because nothing in the transcript supports them. */
  droppedItems: number;
  warnings: EngineNotice[];
  usage?: TokenUsage | undefined;
}

export interface SummaryResult extends Provenance {
  /** Markdown. */
  text: string;
  actionItems: ActionItem[];
  keyDecisions: Finding[];
  insights: Finding[];
}

export interface TimeRange {
  start: number;
  end: number;
}

export interface Moment extends TimeRange {
  title: string;
  evidence: Evidence[];
}

export interface SpokenQuote extends TimeRange {
  text: string;
  speakerId?: string | undefined;
  evidence: Evidence[];
}

export interface Topic {
  name: string;
  keyphrases: string[];
  ranges: TimeRange[];
  evidence: Evidence[];
}

export type MoodLabel = 'negative' | 'neutral' | 'positive';

export interface Mood {
  /** -1 to 1. */
  score: number;
  label: MoodLabel;
  evidence: Evidence[];
}

export interface SpeakerMood {
  speakerId: string;
  /** Seconds that the speaker speaks. Moods are weighted by them when speakers are merged. */
  seconds: number;
  mood: Mood;
}

export interface SentimentResult {
  overall: Mood;
  bySpeaker: SpeakerMood[];
  timeline: (TimeRange & { mood: Mood })[];
}

export interface HighlightsResult extends Provenance {
  keyMoments: Moment[];
  quotes: SpokenQuote[];
  insights: Finding[];
  topics: Topic[];
  /** undefined: the engine cannot tell for the language. */
  sentiment?: SentimentResult | undefined;
}

/** A part of the recording about one thing. */
export interface Chapter extends TimeRange {
  /** A few words. */
  headline: string;
  /** One or two sentences. */
  gist: string;
  evidence: Evidence[];
}

export interface ChaptersResult extends Provenance {
  /** In order, from the first segment to the last; each ends where the next one starts. */
  chapters: Chapter[];
}

export type EntityMethod = 'rules' | 'model';

/** An entity at its place in the text of a segment. */
export interface FoundEntity extends TextEntity {
  segmentId: string;
  method: EntityMethod;
}

export interface FoundEntities extends Provenance {
  /** The method by which people and organisations were found. */
  method: EntityMethod;
  /** In the order of the transcript, without overlaps. */
  entities: FoundEntity[];
}

/** An entity at its words. */
export interface Entity extends Pick<FoundEntity, 'type' | 'normalized' | 'segmentId' | 'method'>, TimeRange {
  text: string;
  wordIds: string[];
  speakerId?: string | undefined;
}

export interface EntitiesResult extends Omit<FoundEntities, 'entities'> {
  entities: Entity[];
}

export interface SummaryEngineInfo {
  /** For instance `extractive` or `openai:gpt-4o-mini`. */
  name: string;
  /** BCP 47 primary subtags of the languages it does all of this for; empty: no restriction is known. */
  languages: readonly string[];
}

/**
 * Says what a transcript is about. Every item comes with evidence that was looked up in the transcript.
 * All calls throw AppError: `transcript_empty`, `engine_failed`, `engine_timeout`, `engine_rate_limited`, `canceled`.
 */
export interface SummaryEngine {
  readonly info: SummaryEngineInfo;
  /** Absent for an engine that does not translate. */
  readonly translator?: Translator;
  summarize(transcript: TranscriptText, request: SummaryRequest, signal: AbortSignal): Promise<SummaryResult>;
  highlight(transcript: TranscriptText, signal: AbortSignal): Promise<HighlightsResult>;
  /** Every segment is in exactly one chapter. */
  divide(transcript: TranscriptText, signal: AbortSignal): Promise<ChaptersResult>;
  findEntities(transcript: TranscriptText, signal: AbortSignal): Promise<FoundEntities>;
  close(): Promise<void>;
}
