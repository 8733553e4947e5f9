import type { Evidence } from '@parlance/text-analysis';
import type { ChapterDraft } from '../engine/chapter-partition.js';
import type { TranscriptText } from '../engine/summary-engine.js';
import { chaptersAnswer, type ChapterAnswer } from './answers.js';
import type { EvidenceCheck } from './evidence-check.js';
import { speakerList, type ModelCalls } from './model-calls.js';
import type { Prompts } from './prompts.js';
import { transcriptParts, type TranscriptPart } from './transcript-parts.js';

interface ChaptersTask {
  transcript: TranscriptText;
  calls: ModelCalls;
  check: EvidenceCheck;
  prompts: Prompts;
  countTokens(text: string): number;
}

/** Characters; a longer headline is cut. */
const MAX_HEADLINE = 120;
/** Seconds of speech for which the model may begin one more chapter. */
const CHAPTER_SECONDS = 120;
const MAX_A_PART = 12;
/** Tokens for the headline of the part before. */
const HEADLINE_TOKENS = 100;

/**
 * Asks for the chapters of each part. A chapter that begins outside of its part or not after the one before, or that has no evidence
 * within itself, is dropped, and the one before takes its place.
 * @returns undefined when a part is left with less than half of the chapters that the model gave, so that its division means nothing
 */
export async function modelChapters(task: ChaptersTask): Promise<ChapterDraft[] | undefined> {
  const { transcript, calls, prompts, countTokens, check } = task;
  const speakers = speakerList(transcript);
  const longest = prompts.fill('chapters', { part: 99, parts: 99, first: 100_000, last: 100_000, count: MAX_A_PART });
  const parts = transcriptParts(transcript.lines, calls.room(longest) - countTokens(speakers) - HEADLINE_TOKENS, countTokens);
  const drafts: ChapterDraft[] = [];
  for (const [index, part] of parts.entries()) {
    const asked = prompts.fill('chapters', { part: index + 1, parts: parts.length, ...boundsOf(part), count: maxChapters(part) });
    const answer = await calls.ask({ name: 'chapters', schema: chaptersAnswer, task: asked, material: previous(drafts) + speakers + part.text });
    const found = inPart(answer.chapters, part, check, transcript);
    check.dropped += answer.chapters.length - found.length;
    if (found.length === 0 || found.length * 2 < answer.chapters.length) return undefined;
    if (index > 0 && answer.continues) drafts.push(...found.slice(1));
    else drafts.push(...found.map((draft, number) => (number === 0 ? { ...draft, first: part.first } : draft)));
  }
  return drafts;
}

const boundsOf = ({ first, lines }: TranscriptPart) => ({ first, last: first + lines.length - 1 });

function maxChapters({ lines }: TranscriptPart): number {
  const seconds = (lines.at(-1)?.end ?? 0) - (lines[0]?.start ?? 0);
  return Math.max(2, Math.min(MAX_A_PART, Math.ceil(seconds / CHAPTER_SECONDS)));
}

function previous(drafts: readonly ChapterDraft[]): string {
  const headline = drafts.at(-1)?.headline;
  return headline === undefined ? '' : `The part before ends with the chapter ${JSON.stringify(headline)}.\n`;
}

function inPart(answered: readonly ChapterAnswer[], part: TranscriptPart, check: EvidenceCheck, { lines }: TranscriptText): ChapterDraft[] {
  const { first, last } = boundsOf(part);
  const places = new Map(lines.map(({ segmentId }, index) => [segmentId, index]));
  const kept: ChapterDraft[] = [];
  for (const [number, { first_segment: from, headline, gist, evidence }] of answered.entries()) {
    const isInOrder = Number.isInteger(from) && from >= first && from <= last && from > (kept.at(-1)?.first ?? -1);
    const until = answered[number + 1]?.first_segment ?? last + 1;
    const isInside = ({ segmentId }: Evidence) => (places.get(segmentId) ?? -1) >= (number === 0 ? first : from) && (places.get(segmentId) ?? -1) < until;
    const found = isInOrder && headline.trim() !== '' && gist.trim() !== '' ? check.evidence(evidence).filter(isInside) : [];
    if (found.length > 0) kept.push({ first: from, headline: headline.trim().slice(0, MAX_HEADLINE), gist: gist.trim(), evidence: found });
  }
  return kept;
}
