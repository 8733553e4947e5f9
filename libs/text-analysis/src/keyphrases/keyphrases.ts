import type { Term } from '../terms/term-reader.js';
import type { WeightedLine } from '../terms/weighted-line.js';

const MAX_WORDS = 3;
/** A phrase of several words says more than its words. */
const BONUS_A_WORD = 0.6;

interface Candidate {
  stems: readonly string[];
  count: number;
  /** The spoken forms, with the count of each. */
  forms: Map<string, number>;
}

/** Counts the lines that contain each stem. */
export function lineCounts(lines: readonly WeightedLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { vector } of lines) for (const stem of vector.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

/**
 * Returns the topics of these lines in contrast to the others: neighbouring words that matter and are not vague (the
 * candidates of RAKE, Rose et al. 2010), weighted by how often they occur here and how rarely elsewhere (TF-IDF).
 * @param everywhere how many of `total` lines of the transcript have each stem
 * @returns best first, none within another
 */
export function keyphrases(lines: readonly WeightedLine[], count: number, everywhere: ReadonlyMap<string, number>, total: number): string[] {
  const rarity = (stem: string) => Math.log(1 + total / (everywhere.get(stem) ?? 1));
  const scored = [...candidatesOf(lines).values()]
    .filter((candidate) => candidate.count > 1 || (candidate.stems.length === 1 && lines.length < 20))
    .map((candidate) => ({ candidate, score: scoreOf(candidate, rarity) }))
    .toSorted((a, b) => b.score - a.score || (a.candidate.stems.join(' ') < b.candidate.stems.join(' ') ? -1 : 1));
  const taken: Candidate[] = [];
  for (const { candidate } of scored) {
    if (taken.length === count) break;
    if (!taken.some(({ stems }) => stems.some((stem) => candidate.stems.includes(stem)))) taken.push(candidate);
  }
  return taken.map(commonestForm);
}

function scoreOf({ stems, count }: Candidate, rarity: (stem: string) => number): number {
  const mean = stems.reduce((sum, stem) => sum + rarity(stem), 0) / stems.length;
  return count * mean * (1 + BONUS_A_WORD * (stems.length - 1));
}

function candidatesOf(lines: readonly WeightedLine[]): Map<string, Candidate> {
  const candidates = new Map<string, Candidate>();
  for (const { terms } of lines) {
    for (const [start] of terms.entries()) {
      for (let length = 1; length <= MAX_WORDS; length++) {
        const run = terms.slice(start, start + length);
        if (run.length < length || !isUnbroken(run) || run.some(({ vague }) => vague === 'always')) break;
        if (!run.every(({ vague }) => vague === 'alone')) add(candidates, run);
      }
    }
  }
  return candidates;
}

const isUnbroken = (run: readonly Term[]): boolean => run.every(({ position }, index) => index === 0 || position === (run[index - 1]?.position ?? 0) + 1);

function add(candidates: Map<string, Candidate>, run: readonly Term[]): void {
  const stems = run.map(({ stem }) => stem);
  if (new Set(stems).size < stems.length) return;
  const key = stems.join(' ');
  const candidate = candidates.get(key) ?? { stems, count: 0, forms: new Map<string, number>() };
  const form = run.map(({ word }) => word).join(' ');
  candidate.count++;
  candidate.forms.set(form, (candidate.forms.get(form) ?? 0) + 1);
  candidates.set(key, candidate);
}

/** Among forms of equal count, the longest wins: "meeting" rather than "met". */
const commonestForm = ({ forms }: Candidate): string =>
  [...forms].toSorted(([a, m], [b, n]) => n - m || b.length - a.length || (a < b ? -1 : 1))[0]?.[0] ?? '';
