import type { TimeSlices } from '@parlance/platform';
import { cosine, type WeightedLine } from '../terms/weighted-line.js';

/** Lines compared with each other at once; the work grows with its square. */
const BLOCK = 400;
/** The part of each block that is kept for the next round. */
const PART_KEPT = 1 / 4;
const DAMPING = 0.85;
const ROUNDS = 30;
/** Fewer terms than this make no sentence of their own. */
const TERMS_OF_A_SENTENCE = 5;

export interface RankedLine extends WeightedLine {
  /** 1 on average over the lines that were compared in the last round. */
  score: number;
}

/**
 * LexRank (Erkan and Radev 2004): a line matters that resembles many lines that matter. Hours of talk are ranked in blocks,
 * whose best are ranked again, so that time and memory grow with the length alone.
 * @param emphasis of a line, above 0; the walk comes back to lines by it
 * @returns the lines that came into the last round, best first
 */
export async function lexRank(lines: readonly WeightedLine[], slices: TimeSlices, emphasis: (line: WeightedLine) => number = () => 1): Promise<RankedLine[]> {
  let candidates = lines.filter(({ vector }) => vector.size > 0);
  while (candidates.length > BLOCK) {
    const kept: WeightedLine[] = [];
    for (let start = 0; start < candidates.length; start += BLOCK) {
      const block = candidates.slice(start, start + BLOCK);
      const ranked = await rankBlock(block, slices, emphasis);
      kept.push(...ranked.slice(0, Math.ceil(block.length * PART_KEPT)).toSorted((a, b) => a.index - b.index));
    }
    candidates = kept;
  }
  return rankBlock(candidates, slices, emphasis);
}

async function rankBlock(lines: readonly WeightedLine[], slices: TimeSlices, emphasis: (line: WeightedLine) => number): Promise<RankedLine[]> {
  const count = lines.length;
  const { likeness, sums } = await similarities(lines, slices);
  const weights = lines.map((line) => emphasis(line) * Math.min(1, line.terms.length / TERMS_OF_A_SENTENCE));
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const jump = weights.map((weight) => (weight / total) * lines.length);
  let scores = [...jump];
  for (let round = 0; round < ROUNDS; round++) {
    const next = jump.map((weight) => (1 - DAMPING) * weight);
    for (let from = 0; from < count; from++) {
      const share = (DAMPING * (scores[from] ?? 0)) / (sums[from] || 1);
      for (let to = 0; to < count; to++) next[to] = (next[to] ?? 0) + share * (likeness[from * count + to] ?? 0);
    }
    scores = next;
    await slices.next();
  }
  // Given back at once: garbage collection hardly sees its weight, and the next block has as much.
  likeness.buffer.transfer(0);
  return lines.map((line, number) => ({ ...line, score: (scores[number] ?? 0) * Math.sqrt(weights[number] ?? 0) })).toSorted((a, b) => b.score - a.score || a.index - b.index);
}

/** The similarity of each pair, row by row, in one array, since a block has up to a hundred thousand. */
async function similarities(lines: readonly WeightedLine[], slices: TimeSlices) {
  const likeness = new Float64Array(lines.length * lines.length);
  const sums = lines.map(() => 0);
  for (const [a, first] of lines.entries()) {
    for (let b = a + 1; b < lines.length; b++) {
      const second = lines[b];
      const weight = second ? cosine(first.vector, second.vector) : 0;
      if (weight === 0) continue;
      likeness[a * lines.length + b] = weight;
      likeness[b * lines.length + a] = weight;
      sums[a] = (sums[a] ?? 0) + weight;
      sums[b] = (sums[b] ?? 0) + weight;
    }
    await slices.next();
  }
  return { likeness, sums };
}
