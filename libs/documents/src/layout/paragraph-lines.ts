import type { FontSet } from '../fonts/font-set.js';
import { paragraphDirection, visualOrder, type Direction } from './bidi-text.js';
import { lineOpportunities } from './line-opportunities.js';
import { StyledText, trimmed, type ShapedPiece } from './shaped-piece.js';
import type { Span } from './text-style.js';

/** One line, its pieces from left to right. */
export interface TextLine {
  pieces: ShapedPiece[];
  /** Points. */
  width: number;
  direction: Direction;
}

interface ParagraphBox {
  /** Points. */
  width: number;
  language: string;
  /** The direction of the paragraph that the text belongs to, used when the text itself has none. */
  direction?: Direction;
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const widthOf = (pieces: readonly ShapedPiece[]): number => pieces.reduce((sum, { width }) => sum + width, 0);

/** The paragraph broken into lines, in the order in which they are seen. A word wider than a line is broken anywhere. */
export function paragraphLines(spans: readonly Span[], fonts: FontSet, box: ParagraphBox): TextLine[] {
  const text = spans.map((span) => span.text).join('');
  const direction = box.direction ?? paragraphDirection(text, box.language);
  const styled = new StyledText(spans, direction, fonts);
  const lines: TextLine[] = [];
  let [line, width]: [ShapedPiece[], number] = [[], 0];
  const endLine = () => {
    if (line.length > 0) lines.push(toLine(line, direction));
    [line, width] = [[], 0];
  };
  for (const pieces of unbreakables(styled, box)) {
    const visible = widthOf(withoutTrailingSpace(pieces));
    if (width + visible > box.width) endLine();
    line.push(...pieces);
    width += widthOf(pieces);
  }
  endLine();
  return lines;
}

/** UTF-16 units; more would not be a word, and are not shaped at once to find that out. */
const MAX_WORD_CHARACTERS = 400;

/** Yields the parts that a line takes as a whole: up to the next opportunity, or a grapheme of a part that fits on no line. */
function* unbreakables(styled: StyledText, { width, language }: ParagraphBox): Generator<ShapedPiece[]> {
  let from = 0;
  for (const to of lineOpportunities(styled.text, language)) {
    const pieces = to - from <= MAX_WORD_CHARACTERS ? styled.shape(from, to) : undefined;
    if (pieces && widthOf(withoutTrailingSpace(pieces)) <= width) yield pieces;
    else for (const { segment, index } of graphemes.segment(styled.text.slice(from, to))) yield styled.shape(from + index, from + index + segment.length);
    from = to;
  }
}

function toLine(logical: ShapedPiece[], direction: Direction): TextLine {
  const visible = withoutTrailingSpace(logical);
  return { pieces: visualOrder(visible), width: widthOf(visible), direction };
}

/** The space at the end of a line is not seen. */
function withoutTrailingSpace(pieces: readonly ShapedPiece[]): ShapedPiece[] {
  const kept = [...pieces];
  for (let last = kept.pop(); last; last = kept.pop()) {
    const visible = trimmed(last);
    if (visible) return [...kept, visible];
  }
  return kept;
}
