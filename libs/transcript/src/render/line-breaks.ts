import type { CaptionToken } from './caption-token.js';

/** The bonus for ending a line there, against the sum of the squares by which lines miss their ideal length. */
const PHRASE_BONUS = { sentence: 64, clause: 48, word: 0, piece: -64 } as const;

/** Counts the lines that the tokens need at least, filling each; the first line is `indent` shorter. */
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
        const last = to === tokens.length ? undefined : tokens[to - 1];
        const cost = layout.cost + (width - ideal) ** 2 - (last ? PHRASE_BONUS[last.ending] : 0);
        if (cost < (longer.get(to)?.cost ?? Infinity)) longer.set(to, { cost, starts: [...layout.starts, from] });
      }
    }
    layouts = longer;
  }
  const starts = layouts.get(tokens.length)?.starts ?? [0];
  return starts.map((from, line) => lineOf(tokens.slice(from, starts[line + 1] ?? tokens.length)));
}

function widthOf(tokens: readonly CaptionToken[], from: number, to: number): number {
  const line = tokens.slice(from, to);
  return line.reduce((sum, { width, gap }, index) => sum + width + (index === 0 ? 0 : gap.length), 0);
}

const lineOf = (tokens: readonly CaptionToken[]): string =>
  tokens.map(({ text, gap }, index) => (index === 0 ? text : gap + text)).join('');
