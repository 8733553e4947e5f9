/** The differences between a hypothesis and its reference by the cheapest word alignment. */
interface WordErrors {
  substitutions: number;
  deletions: number;
  insertions: number;
  referenceWords: number;
  /** (S + D + I) / N; 0 when both are empty, above 1 when much was invented. */
  rate: number;
}

/** Lower-case words without punctuation; apostrophes inside a word stay (`it's`), hyphens part words. */
const scoringWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’ʼ]/g, "'")
    .match(/[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{N}\p{M}]+)*/gu) ?? [];

type Cost = [errors: number, substitutions: number, deletions: number, insertions: number];

/** Word error rate by Levenshtein alignment of the normalised words, as NIST's sclite counts it (each error costs one). */
export function wordErrorRate(reference: string, hypothesis: string): WordErrors {
  const expected = scoringWords(reference);
  const heard = scoringWords(hypothesis);
  let row: Cost[] = [[0, 0, 0, 0]];
  for (let j = 1; j <= heard.length; j += 1) row[j] = [j, 0, 0, j];
  for (let i = 1; i <= expected.length; i += 1) {
    const next: Cost[] = [[i, 0, i, 0]];
    for (let j = 1; j <= heard.length; j += 1) {
      const [diagonal, above, left] = [row[j - 1], row[j], next[j - 1]] as [Cost, Cost, Cost];
      next[j] = expected[i - 1] === heard[j - 1] ? diagonal : cheapest(plus(diagonal, 1), plus(above, 2), plus(left, 3));
    }
    row = next;
  }
  const [errors, substitutions, deletions, insertions] = row[heard.length] as Cost;
  const rate = errors === 0 ? 0 : errors / Math.max(1, expected.length);
  return { substitutions, deletions, insertions, referenceWords: expected.length, rate };
}

function plus(cost: Cost, kind: 1 | 2 | 3): Cost {
  const more: Cost = [...cost];
  more[0] += 1;
  more[kind] += 1;
  return more;
}

const cheapest = (...costs: Cost[]): Cost => costs.reduce((best, cost) => (cost[0] < best[0] ? cost : best));
