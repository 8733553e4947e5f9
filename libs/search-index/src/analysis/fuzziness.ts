import { isSpacedScript } from '@parlance/languages';

/** Letters that a typo in a word is allowed, and the length from which on: both adapters, and Lucene's `AUTO:4,8`. */
export const FUZZINESS = { one: 4, two: 8 } as const;

/** The first letter is nearly always right, and looking through a whole vocabulary would take long. */
export const SURE_LETTERS = 1;

export function allowedEdits(term: string): number {
  if (!isSpacedScript(term)) return 0;
  const { length } = [...term];
  if (length >= FUZZINESS.two) return 2;
  return length >= FUZZINESS.one ? 1 : 0;
}

/**
 * Letters to insert, remove, replace or swap with their neighbour to make one of the other (optimal string alignment,
 * Boytsov 2011, section 2); any number above `limit` when they are more.
 */
export function editDistance(one: string, other: string, limit: number): number {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let older: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      current[column] = cell(a, b, row, column, current, above, older);
    }
    if (Math.min(...current) > limit) return limit + 1;
    [older, above] = [above, current];
  }
  return above[b.length] as number;
}

function cell(a: string[], b: string[], row: number, column: number, current: number[], above: number[], older: number[]): number {
  const at = (line: number[], index: number): number => line[index] as number;
  const isSame = a[row - 1] === b[column - 1];
  const best = Math.min(at(above, column) + 1, at(current, column - 1) + 1, at(above, column - 1) + (isSame ? 0 : 1));
  const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
  return isSwapped ? Math.min(best, at(older, column - 2) + 1) : best;
}
