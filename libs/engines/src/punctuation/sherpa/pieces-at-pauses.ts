/**
 * Words in pieces of at most `longest`, cut at the longest pause in the second half of each piece: models take a limited number of
 * tokens, and a sentence seldom goes over such a pause.
 */
export function piecesAtPauses<W extends { start: number; end: number }>(words: readonly W[], longest: number): W[][] {
  const pieces: W[][] = [];
  let rest = words;
  while (rest.length > longest) {
    const size = sizeOfFirst(rest, longest);
    pieces.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return rest.length > 0 ? [...pieces, [...rest]] : pieces;
}

function sizeOfFirst(words: readonly { start: number; end: number }[], longest: number): number {
  let best = longest;
  let longestPause = -Infinity;
  for (let size = Math.ceil(longest / 2); size <= longest; size += 1) {
    const [last, next] = [words[size - 1], words[size]];
    const pause = last && next ? next.start - last.end : 0;
    if (pause >= longestPause) [best, longestPause] = [size, pause];
  }
  return best;
}
