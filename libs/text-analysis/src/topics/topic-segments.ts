import type { TimeSlices } from '@parlance/platform';
import { cosine, unitVector, type WeightedLine } from '../terms/weighted-line.js';

interface TopicLimits {
  /** Lines a stretch has at least. */
  minLines: number;
  maxSegments: number;
}

const TOPIC_LIMITS: TopicLimits = { minLines: 8, maxSegments: 12 };

/**
 * Finds where the topic changes: TextTiling (Hearst 1997) over lines. Between two stretches with few words in common the
 * similarity has a valley; the deepest valleys are the borders.
 * @returns stretches in order that together are all lines; one for a short talk
 */
export async function topicSegments(lines: readonly WeightedLine[], slices: TimeSlices, limits: TopicLimits = TOPIC_LIMITS): Promise<WeightedLine[][]> {
  const minLines = Math.max(limits.minLines, Math.floor(lines.length / (limits.maxSegments * 3)));
  if (lines.length < minLines * 2) return lines.length === 0 ? [] : [[...lines]];
  const gaps = await gapLikeness(lines, minLines, slices);
  const borders: number[] = [];
  for (const { at } of valleys(gaps)) {
    if (borders.length === limits.maxSegments - 1) break;
    if ([0, ...borders, lines.length].every((border) => Math.abs(at - border) >= minLines)) borders.push(at);
  }
  return [0, ...borders.toSorted((a, b) => a - b)].map((start, index, starts) => lines.slice(start, starts[index + 1]));
}

interface Gap {
  /** Before this line. */
  at: number;
  /** The similarity of the lines before and after it, 0 to 1. */
  likeness: number;
}

/** Looked at in steps, so that ten hours take no longer than their lines. */
async function gapLikeness(lines: readonly WeightedLine[], window: number, slices: TimeSlices): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (let at = window; at <= lines.length - window; at += Math.max(1, Math.floor(window / 4))) {
    gaps.push({ at, likeness: cosine(vectorOf(lines.slice(at - window, at)), vectorOf(lines.slice(at, at + window))) });
    await slices.next();
  }
  return gaps;
}

const vectorOf = (lines: readonly WeightedLine[]): Map<string, number> => {
  const weights = new Map(lines.flatMap(({ vector }) => [...vector]));
  return unitVector(lines.flatMap(({ terms }) => terms), (stem) => weights.get(stem) ?? 0.01);
};

/** Deepest first; those that are deeper than the average and half a standard deviation. */
function valleys(gaps: readonly Gap[]): { at: number; depth: number }[] {
  const all = gaps.map(({ at }, index) => ({ at, depth: depthAt(gaps, index) }));
  const mean = all.reduce((sum, { depth }) => sum + depth, 0) / (all.length || 1);
  const deviation = Math.sqrt(all.reduce((sum, { depth }) => sum + (depth - mean) ** 2, 0) / (all.length || 1));
  return all.filter(({ depth }) => depth > mean + deviation / 2).toSorted((a, b) => b.depth - a.depth || a.at - b.at);
}

function depthAt(gaps: readonly Gap[], index: number): number {
  const bottom = gaps[index]?.likeness ?? 0;
  const climb = (step: 1 | -1): number => {
    let top = bottom;
    for (let next = gaps[index + step], at = index + step; next !== undefined && next.likeness >= top; at += step, next = gaps[at]) top = next.likeness;
    return top - bottom;
  };
  return climb(-1) + climb(1);
}
