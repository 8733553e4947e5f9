import type { common } from '@parlance/contracts';
import { type CollectionDefinition, type Document, ownerOfPart } from '@parlance/storage';
import type { ChaptersResult, EntitiesResult, HighlightsResult, SummaryRequest, SummaryResult } from '../engine/summary-engine.js';

export type WorkStatus = 'pending' | 'running' | 'completed' | 'failed' | 'skipped';

/** Something that is made from a transcript: its state and, once it is completed, its result. */
export interface WorkDocument<Result> extends Document {
  jobId: string;
  accountId: string;
  status: WorkStatus;
  completedAt?: string | undefined;
  error?: common.Failure | undefined;
  result?: Result | undefined;
  /** The version of the transcript in which the result's evidence was looked up. */
  transcriptVersion?: number | undefined;
  /** The revision of the text that the result was made from; absent: the recognised text. */
  transcriptRevision?: number | undefined;
  /** The run of the job that made the result; absent: the first, or none. */
  run?: number | undefined;
}

export interface SummaryDocument extends WorkDocument<SummaryResult> {
  /** True for the summary that the job's stage makes. */
  isDefault: boolean;
  request: SummaryRequest;
}

export type HighlightsDocument = WorkDocument<HighlightsResult>;
export type ChaptersDocument = WorkDocument<ChaptersResult>;
export type EntitiesDocument = WorkDocument<EntitiesResult>;

export const SUMMARIES: CollectionDefinition<SummaryDocument> = {
  name: 'summaries',
  data: { what: 'summaries and their requests', purpose: 'the job\'s `summary`', kept: 'with the job' },
  indexes: [
    { fields: ['jobId'] },
    { fields: ['jobId', 'accountId'] },
    { fields: ['jobId', 'status'] },
    { fields: ['status'], only: { status: 'pending' } },
    { fields: ['status'], only: { status: 'running' } },
  ],
  sealed: { fields: ['request', 'result', 'error'], owner: ownerOfPart },
};
const SEALED_RESULT = { fields: ['result', 'error'], owner: ownerOfPart };

/** The id is the job's. */
export const HIGHLIGHTS: CollectionDefinition<HighlightsDocument> = {
  name: 'highlights',
  data: { what: 'highlights, with quotations', purpose: 'the job\'s `highlights`', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }],
  sealed: SEALED_RESULT,
};
/** The id is the job's. */
export const CHAPTERS: CollectionDefinition<ChaptersDocument> = {
  name: 'chapters',
  data: { what: 'chapters, with headlines', purpose: 'the job\'s `chapters`', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }],
  sealed: SEALED_RESULT,
};
/** The id is the job's. */
export const ENTITIES: CollectionDefinition<EntitiesDocument> = {
  name: 'entities',
  data: { what: 'names, dates, numbers and places that were said', purpose: 'the job\'s `entities`', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }],
  sealed: SEALED_RESULT,
};

/** The default summary has the job's own number. */
export const defaultSummaryId = (jobId: string): string => `sum_${jobId.replace(/^job_/, '')}`;
