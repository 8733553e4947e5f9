import type { ErrorCode, ErrorKind } from '@parlance/platform';
import type { HighlightsResult, SummaryRequest, SummaryResult, TranscriptText } from '../engine/summary-engine.js';

export type ExtractiveWork = { summarize: { transcript: TranscriptText; request: SummaryRequest } } | { highlight: { transcript: TranscriptText } };
/** Work, one at a time; or that what is at work is to stop. */
export type ExtractiveRequest = ExtractiveWork | { cancel: true };

export interface ExtractiveFailure {
  kind: ErrorKind;
  code: ErrorCode;
  message: string;
  retryable: boolean;
}

export type ExtractiveAnswer = { result: SummaryResult | HighlightsResult } | { failure: ExtractiveFailure };
