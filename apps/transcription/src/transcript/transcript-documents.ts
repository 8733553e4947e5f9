import type { common } from '@parlance/contracts';
import { type CollectionDefinition, type Document, ownerOfJob, ownerOfPart } from '@parlance/storage';
import type { Formatting, Segment, Speaker, SpeakerMerges } from '@parlance/transcript';
import type { PageInputs } from './page-inputs.js';

/** A finished transcript; its segments are in pages beside it. The id is the job's. */
export interface TranscriptDocument extends Document {
  accountId: string;
  /** The newest run that the transcript was reported to. */
  run: number;
  /** The run whose plan the pages were made by; absent in a transcript of a version before. */
  planRun?: number;
  /** BCP 47: as requested, detected, or the only one of the engine. */
  language: string;
  /** Absent when the request named the language, or the engine detects none. */
  detectedLanguage?: string | undefined;
  /** Absent when the engine gives none. */
  languageConfidence?: number | undefined;
  /** Seconds of the media. */
  duration: number;
  /** From 1; one more whenever the speakers or the text change. */
  version: number;
  /** The present speakers: with their names, and without those that were merged into others. */
  speakers: Speaker[];
  /** The turns that gave the words their speakers, and the newest run that this was reported to. Absent: the words have no speakers. */
  turns?: { turnsKey: string; run: number };
  /** Number of channels that were transcribed apart: they are the speakers. */
  channels?: number;
  merges?: SpeakerMerges;
  /** The newest revision of the text; absent or 0: the recognised one, which is in the pages. */
  revision?: number;
  /** The pages that differ from the recognised text: number → id of the edited page. */
  editedPages?: Readonly<Record<string, string>>;
  /** The newest revisions, oldest first. */
  revisions?: RevisionEntry[];
  /** Earlier revisions cannot be read any more, but for 0: speakers were assigned since, or the account had no room for the changes. */
  revisionsFrom?: number;
  /** Number of segments that were split off so far: none has the id of another one, even of one that is gone. */
  splits?: number;
  segmentCount: number;
  wordCount: number;
  pageCount: number;
  engine: string;
  warnings: common.Warning[];
  /** The source of punctuation and capitals; absent in a transcript of a version before. */
  formatting?: Formatting;
  /** Words that stand for redacted ones, by policy; absent in a transcript of a version before. */
  redacted?: Readonly<Record<string, number>>;
}

/** One change of the text: what, when and by which key. */
export interface RevisionEntry {
  /** From 1. */
  revision: number;
  /** RFC 3339. */
  at: string;
  keyId?: string;
  action: RevisionAction;
  /** With `restored`: the revision whose text it has. */
  restored?: number;
  /** Segments that were changed, added or removed. */
  changedSegments: number;
  /** The size of its changes as JSON. */
  bytes: number;
  /** Number of a page → id of its changes; empty where the account had no room for them. */
  changes: Readonly<Record<string, string>>;
}

export type RevisionAction = 'edited' | 'replaced' | 'restored';

/** A stretch of a transcript small enough to hold and to send. */
export interface TranscriptPage extends Document {
  jobId: string;
  /** Absent in a page of a version before. */
  accountId?: string;
  segments: Segment[];
  /** Absent in a page of a version before. */
  inputs?: PageInputs;
}

export const TRANSCRIPTS: CollectionDefinition<TranscriptDocument> = {
  name: 'transcripts',
  data: { what: 'speakers and their names, numbers of words and segments, warnings', purpose: 'the transcript', kept: 'with the job' },
  indexes: [],
  sealed: { fields: ['speakers', 'warnings'], owner: ownerOfJob },
};

export const PAGES: CollectionDefinition<TranscriptPage> = {
  name: 'pages',
  data: { what: 'text of the transcript: words with times, speakers, confidence', purpose: 'the transcript', kept: 'with the job', recipients: 'the language model: `LANGUAGE_MODEL_URL`; the embedding engine: `EMBEDDINGS_ENGINE_URL`; the search index: `SEARCH_URL`' },
  indexes: [{ fields: ['jobId'] }],
  sealed: { fields: ['segments'], owner: ownerOfPart },
};

export const SEGMENTS_PER_PAGE = 200;

/** Pages count from 0. */
export const pageId = (jobId: string, page: number): string => `${jobId}/${String(page).padStart(6, '0')}`;
