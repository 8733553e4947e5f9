import type { common } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';
import type { Segment, Speaker, SpeakerMerges } from '@parlance/transcript';

/** A finished transcript; its segments are in pages beside it. The id is the job's. */
export interface TranscriptDocument extends Document {
  accountId: string;
  /** The newest run that was told of it. */
  run: number;
  language: string;
  languageConfidence?: number | undefined;
  /** Seconds of the media. */
  duration: number;
  /** From 1; one more whenever the speakers change. */
  version: number;
  /** As they are now: named, and without those that were merged into others. */
  speakers: Speaker[];
  /** Which turns gave the words their speakers, and the newest run that was told; none: the words have no speakers. */
  turns?: { turnsKey: string; run: number };
  merges?: SpeakerMerges;
  segmentCount: number;
  wordCount: number;
  pageCount: number;
  engine: string;
  warnings: common.Warning[];
}

/** A stretch of a transcript small enough to hold and to send. */
export interface TranscriptPage extends Document {
  jobId: string;
  segments: Segment[];
}

export const TRANSCRIPTS: CollectionDefinition<TranscriptDocument> = { name: 'transcripts', indexes: [] };

export const PAGES: CollectionDefinition<TranscriptPage> = { name: 'pages', indexes: [{ fields: ['jobId'] }] };

export const SEGMENTS_PER_PAGE = 200;

/** Pages count from 0. */
export const pageId = (jobId: string, page: number): string => `${jobId}/${String(page).padStart(6, '0')}`;
