import { keyphrases, pickDiverse, QuoteFinder, topicSegments, type RankedLine, type SpokenLine, type WeightedLine } from '@parlance/text-analysis';
import type { ChapterDraft } from '../engine/chapter-partition.js';
import type { Analysis } from './analysis.js';
import { sentence, titleOf } from './sentence.js';

const PHRASES = 3;
const GIST_LINES = 2;
const MIN_LINES = 8;
/** Seconds that a chapter of a long recording has on average, at least. */
const CHAPTER_SECONDS = 240;
const MAX_CHAPTERS = 60;

/** The chapters of a talk, divided where its topic changes (TextTiling, Hearst 1997), in words that were spoken in them. */
export async function extractedChapters(analysis: Analysis, spoken: readonly SpokenLine[]): Promise<ChapterDraft[]> {
  const { lines, slices, transcript, ranked } = analysis;
  const maxSegments = Math.max(2, Math.min(MAX_CHAPTERS, Math.ceil(transcript.duration / CHAPTER_SECONDS)));
  const places = new Map(spoken.map(({ segmentId }, index) => [segmentId, index]));
  const byIndex = new Map(ranked.map((line) => [line.index, line]));
  const drafts: ChapterDraft[] = [];
  for (const part of wholeSegments(await topicSegments(lines, slices, { minLines: MIN_LINES, maxSegments }))) {
    await slices.next();
    drafts.push({ first: places.get(part[0]?.line.segmentId ?? '') ?? 0, ...describe(part, analysis, byIndex) });
  }
  return drafts;
}

/** The parts with the phrases of a segment together, in the later one of two. */
function wholeSegments(parts: readonly (readonly WeightedLine[])[]): WeightedLine[][] {
  const whole: WeightedLine[][] = [];
  for (const part of parts) {
    const opening = part[0]?.line.segmentId;
    const before = whole.at(-1) ?? [];
    const border = before.findIndex(({ line }) => line.segmentId === opening);
    whole.push([...(border < 0 ? [] : before.splice(border)), ...part]);
    if (before.length === 0 && whole.length > 1) whole.splice(-2, 1);
  }
  return whole;
}

function describe(part: readonly WeightedLine[], { counts, lines, likeness }: Analysis, byIndex: ReadonlyMap<number, RankedLine>): Omit<ChapterDraft, 'first'> {
  const inside = part.flatMap(({ index }) => byIndex.get(index) ?? []).toSorted((a, b) => b.score - a.score);
  const picked = pickDiverse(inside, GIST_LINES, likeness).map(({ line }) => line);
  const spoken = part.map(({ line }) => line).filter(({ text }) => text.trim() !== '');
  const gist = picked.length > 0 ? picked : spoken.slice(0, 1);
  const about = keyphrases(part, PHRASES, counts, lines.length).join(', ');
  return {
    headline: about === '' ? titleOf(gist[0]?.text ?? '') : about.charAt(0).toUpperCase() + about.slice(1),
    gist: gist.map(({ text }) => sentence(text)).join(' '),
    evidence: gist.map((line) => QuoteFinder.whole(line)),
  };
}
