import type { common, summary } from '@parlance/contracts';
import type { TokenUsage } from '@parlance/engines';
import type { CollectionDefinition, Document } from '@parlance/storage';
import type { WorkStatus } from '../work/work-document.js';

/** The translation of a transcript into a language; its texts are in pages beside it. */
export interface TranslationDocument extends Document {
  jobId: string;
  accountId: string;
  /** BCP 47. */
  language: string;
  status: WorkStatus;
  /** When it was last requested. */
  requestedAt: string;
  completedAt?: string | undefined;
  error?: common.Failure | undefined;
  engine?: string | undefined;
  /** The tokens of all attempts. */
  usage?: TokenUsage | undefined;
  segmentsTotal: number;
  segmentsDone: number;
  pageCount: number;
  /** The version of the transcript that was translated last. */
  transcriptVersion?: number | undefined;
}

/** The texts of one batch. */
export interface TranslationPage extends Document {
  jobId: string;
  translationId: string;
  number: number;
  /** SHA-256 of what was translated: a page of the same segments is not made again. */
  source: string;
  segments: summary.TranslatedSegment[];
}

export const TRANSLATIONS: CollectionDefinition<TranslationDocument> = {
  name: 'translations',
  indexes: [{ fields: ['jobId'] }, { fields: ['status'], only: { status: 'pending' } }, { fields: ['status'], only: { status: 'running' } }],
};
export const TRANSLATION_PAGES: CollectionDefinition<TranslationPage> = { name: 'translation_pages', indexes: [{ fields: ['jobId'] }] };

export const translationId = (jobId: string, language: string): string => `${jobId}.${language}`;
export const translationPageId = (id: string, number: number): string => `${id}.${number}`;
