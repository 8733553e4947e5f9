import { keyphrases, QuoteFinder, type WeightedLine } from '@parlance/text-analysis';
import type { Topic } from '../engine/summary-engine.js';
import type { Analysis } from './analysis.js';

const PHRASES = 5;

/** The topics of the talk with their times. A later part about the same is the same topic. */
export async function extractedTopics({ segments, counts, lines, ranked, slices }: Analysis): Promise<Topic[]> {
  const topics = new Map<string, Topic>();
  for (const segment of segments) {
    await slices.next();
    const [name, ...others] = keyphrases(segment, PHRASES, counts, lines.length);
    const range = rangeOf(segment);
    if (name === undefined || !range) continue;
    const known = topics.get(name);
    if (known) known.ranges.push(range);
    else topics.set(name, { name, keyphrases: [name, ...others], ranges: [range], evidence: evidenceOf(segment, name, ranked) });
  }
  return [...topics.values()];
}

function rangeOf(segment: readonly WeightedLine[]): { start: number; end: number } | undefined {
  const [first, last] = [segment[0], segment.at(-1)];
  return first && last && { start: first.line.start, end: last.line.end };
}

/** The most important line of the part in which the name of the topic occurs. */
function evidenceOf(segment: readonly WeightedLine[], name: string, ranked: Analysis['ranked']): Topic['evidence'] {
  const scores = new Map(ranked.map(({ index, score }) => [index, score]));
  const said = segment.filter(({ line }) => line.text.toLowerCase().includes(name));
  const best = said.toSorted((a, b) => (scores.get(b.index) ?? 0) - (scores.get(a.index) ?? 0))[0];
  return best ? [QuoteFinder.whole(best.line)] : [];
}
