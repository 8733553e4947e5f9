import type { ErrorCode, ErrorKind } from '@parlance/platform';
import type { ChaptersResult, FoundEntities, HighlightsResult, SummaryRequest, SummaryResult, TranscriptText } from '../engine/summary-engine.js';

export type ExtractiveWork = { summarize: { transcript: TranscriptText; request: SummaryRequest } } | { highlight: { transcript: TranscriptText } } | { divide: { transcript: TranscriptText } } | { findEntities: { transcript: TranscriptText } };
/** A request to the thread: one piece of work at a time, or the cancellation of the present one. */
export type ExtractiveRequest = ExtractiveWork | { cancel: true };

export interface ExtractiveFailure {
  kind: ErrorKind;
  code: ErrorCode;
  message: string;
  retryable: boolean;
}

export type ExtractiveResult = SummaryResult | HighlightsResult | ChaptersResult | FoundEntities;
export type ExtractiveAnswer = { result: ExtractiveResult } | { failure: ExtractiveFailure };
