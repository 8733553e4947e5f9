import { QuoteFinder, type Evidence } from '@parlance/text-analysis';
import type { TranscriptText } from '../engine/summary-engine.js';

/**
 * A result whose evidence points into the transcript as it is now: where speakers were found after the words, segments were split.
 * Words stay as they are, so that every quote is found again; one that is not stays where it was.
 */
export function relocated<Result>(result: Result, { lines }: Pick<TranscriptText, 'lines'>): Result {
  const finder = new QuoteFinder(lines);
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    if (isEvidence(value)) return finder.find(value.quote, value.segmentId) ?? value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, moved(member)]));
  };
  return moved(result) as Result;
}

const isEvidence = (value: object): value is Evidence => 'segmentId' in value && 'quote' in value;
