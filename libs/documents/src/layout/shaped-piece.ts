import type { DocumentFont, ShapedRun } from '../fonts/document-font.js';
import type { FontSet } from '../fonts/font-set.js';
import { bidiLevels, type Direction } from './bidi-text.js';
import type { Span, TextStyle } from './text-style.js';

/** A part of a word in one font, style and direction. */
export interface ShapedPiece {
  /** As it was written, in logical order. */
  text: string;
  style: TextStyle;
  font: DocumentFont;
  run: ShapedRun;
  level: number;
  /** Points. */
  width: number;
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const SPACE = /^\s+$/u;
/** They have done their work when the levels are known, and fonts that lack them would draw a box. */
const DIRECTIONAL_MARK = /^[\u061c\u200e\u200f]$/u;

type Stretch = Omit<ShapedPiece, 'run' | 'width'>;

function shapeStretch(stretch: Stretch): ShapedPiece {
  const run = stretch.font.shape(stretch.text, stretch.level % 2 === 1 ? 'rtl' : 'ltr');
  return { ...stretch, run, width: (run.width * stretch.style.size) / 1000 };
}

/** Without the space that ends it; undefined when it is nothing else. */
export function trimmed(piece: ShapedPiece): ShapedPiece | undefined {
  const text = piece.text.trimEnd();
  if (text === piece.text) return piece;
  return text === '' ? undefined : shapeStretch({ ...piece, text });
}

/** A paragraph's text, ready to be shaped a stretch at a time. */
export class StyledText {
  readonly text: string;
  private readonly levels: Uint8Array;
  private readonly styles: { from: number; style: TextStyle }[] = [];

  constructor(
    spans: readonly Span[],
    direction: Direction,
    private readonly fonts: FontSet,
  ) {
    let text = '';
    for (const span of spans) {
      this.styles.push({ from: text.length, style: span.style });
      text += span.text;
    }
    this.text = text;
    this.levels = bidiLevels(text, direction);
  }

  /** From one offset to before another, which lie between graphemes. */
  shape(from: number, to: number): ShapedPiece[] {
    return this.stretches(from, to).map(shapeStretch);
  }

  private stretches(from: number, to: number): Stretch[] {
    const stretches: Stretch[] = [];
    for (const { segment, index } of graphemes.segment(this.text.slice(from, to))) {
      if (DIRECTIONAL_MARK.test(segment)) continue;
      const at = from + index;
      const [style, level, last] = [this.styleAt(at), this.levels[at] ?? 0, stretches.at(-1)];
      const font = this.fontOf(segment, style, last?.font);
      if (last && last.font === font && last.level === level && last.style === style) last.text += segment;
      else stretches.push({ text: segment, style, font, level });
    }
    return stretches;
  }

  /** A space is drawn in the font of what stands before it. */
  private fontOf(grapheme: string, { weight }: TextStyle, previous: DocumentFont | undefined): DocumentFont {
    if (previous && SPACE.test(grapheme) && previous.has(0x20)) return previous;
    return this.fonts.fontFor(grapheme, weight);
  }

  private styleAt(offset: number): TextStyle {
    const found = this.styles.findLast(({ from }) => from <= offset);
    if (!found) throw new RangeError('The text has no style at this position.');
    return found.style;
  }
}
