import type { CaptionToken } from './caption-token.js';

/** Ending a line after a sentence or clause is worth this many characters of imbalance. */
const PHRASE_BONUS = { sentence: 8, clause: 6, word: 0, piece: -8 } as const;

/** How many lines the tokens need at least, filling each; the first one is `indent` shorter. */
export class LineFiller {
  lines = 1;
  private used: number;
  private isEmpty = true;

  constructor(
    private readonly maxWidth: number,
    indent: number,
  ) {
    this.used = indent;
  }

  add(token: CaptionToken): void {
    const added = token.width + (this.isEmpty ? 0 : token.gap.length);
    if (this.used + added <= this.maxWidth) this.used += added;
    else {
      this.lines++;
      this.used = token.width;
    }
    this.isEmpty = false;
  }
}

/**
 * Breaks the tokens into as few lines as possible, balanced, rather at the end of a phrase.
 * Where the label leaves no room for the first token, the first line is empty: the label stands alone.
 */
export function breakLines(tokens: readonly CaptionToken[], maxWidth: number, indent: number): string[] {
  const filler = new LineFiller(maxWidth, indent);
  for (const token of tokens) filler.add(token);
  const ideal = (indent + widthOf(tokens, 0, tokens.length)) / filler.lines;

  type Layout = { cost: number; starts: number[] };
  let layouts = new Map<number, Layout>([[0, { cost: 0, starts: [] }]]);
  for (let line = 0; line < filler.lines; line++) {
    const longer = new Map<number, Layout>();
    for (const [from, layout] of layouts) {
      for (let to = line === 0 && indent > 0 ? from : from + 1; to <= tokens.length; to++) {
        const width = (line === 0 ? indent : 0) + widthOf(tokens, from, to);
        if (width > maxWidth) break;
        const isEnd = to === tokens.length || to === 0;
        const cost = layout.cost + (width - ideal) ** 2 - (isEnd ? 0 : PHRASE_BONUS[tokens[to - 1]!.ending] * 8);
        if (cost < (longer.get(to)?.cost ?? Infinity)) longer.set(to, { cost, starts: [...layout.starts, from] });
      }
    }
    layouts = longer;
  }
  const starts = layouts.get(tokens.length)?.starts ?? [0];
  return starts.map((from, line) => lineOf(tokens.slice(from, starts[line + 1] ?? tokens.length)));
}

function widthOf(tokens: readonly CaptionToken[], from: number, to: number): number {
  let width = 0;
  for (let index = from; index < to; index++) width += tokens[index]!.width + (index === from ? 0 : tokens[index]!.gap.length);
  return width;
}

const lineOf = (tokens: readonly CaptionToken[]): string =>
  tokens.map(({ text, gap }, index) => (index === 0 ? text : gap + text)).join('');
