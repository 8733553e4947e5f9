import type { common, summary } from '@parlance/contracts';
import type { TokenUsage } from '@parlance/engines';
import { type CollectionDefinition, type Document, ownerOfPart } from '@parlance/storage';
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
  /** Number of the pages that can be read, from 1, or 0 for those of a version before; see `readableEdition`. A new edition is written beside them. */
  edition?: number | undefined;
  /** The version of the transcript that the edition translates. A worker of a version before leaves it as it is. */
  editionVersion?: number | undefined;
  pageCount: number;
  /** The version of the transcript that was translated last. */
  transcriptVersion?: number | undefined;
}

/** The texts of one batch. */
export interface TranslationPage extends Document {
  jobId: string;
  /** Absent in a page of a version before. */
  accountId?: string;
  translationId: string;
  /** The edition that it belongs to. */
  edition: number;
  number: number;
  /** SHA-256 of each segment that was translated, so that it is not translated again. */
  sources?: string[];
  segments: summary.TranslatedSegment[];
}

export const TRANSLATIONS: CollectionDefinition<TranslationDocument> = {
  name: 'translations',
  data: { what: 'progress of translations', purpose: 'translations that were asked for', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }, { fields: ['status'], only: { status: 'pending' } }, { fields: ['status'], only: { status: 'running' } }],
};
export const TRANSLATION_PAGES: CollectionDefinition<TranslationPage> = {
  name: 'translation_pages',
  data: { what: 'translated text', purpose: 'translations that were asked for', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }, { fields: ['translationId'] }],
  sealed: { fields: ['segments', 'sources'], owner: ownerOfPart },
};

export const translationId = (jobId: string, language: string): string => `${jobId}.${language}`;
/** @param edition 0 for pages of a version before */
export const translationPageId = (id: string, edition: number, number: number): string => (edition === 0 ? `${id}.${number}` : `${id}.${edition}.${number}`);

/** The edition that can be read; undefined: there is none. After a worker of a version before has completed the translation, its pages are those without an edition. */
export function readableEdition({ edition, editionVersion, transcriptVersion, status }: Pick<TranslationDocument, 'edition' | 'editionVersion' | 'transcriptVersion' | 'status'>): number | undefined {
  if (edition === undefined) return status === 'completed' ? 0 : undefined;
  return editionVersion === undefined || editionVersion === transcriptVersion ? edition : 0;
}
