import type { ShapedPiece } from '../layout/shaped-piece.js';
import type { EmbeddedFonts, EncodedGlyph } from './embedded-fonts.js';

const MARK = /\p{M}/u;

/**
 * Returns true when a piece must carry its text beside its glyphs to be copied completely: when its script reorders
 * (Devanagari's short i stands before its consonant), and when marks are set above others, which readers place by their own
 * rules. Right-to-left text does not need it: poppler would reverse it once more.
 */
function needsActualText({ text, run, level }: Pick<ShapedPiece, 'text' | 'run' | 'level'>): boolean {
  if (level % 2 === 1) return false;
  return MARK.test(text) || run.glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)).join('') !== text;
}

/** Points; PDFKit counts from the top of a page and turns it over, text is set with the page the right way up. */
interface TextPlace {
  x: number;
  /** The position of the baseline, from the bottom of the page. */
  y: number;
  pageHeight: number;
}

/**
 * A line as one text object (ISO 32000-1, section 9.4), from left to right. A piece whose glyphs
 * would be copied as another text carries it as ActualText (section 14.9.4), set where its position is known to readers.
 */
export function textOperators(pieces: readonly ShapedPiece[], { x, y, pageHeight }: TextPlace, fonts: EmbeddedFonts): string {
  const operators: string[] = ['q', `1 0 0 -1 0 ${number(pageHeight)} cm`, 'BT'];
  let at = x;
  let [lastFont, lastColor] = ['', ''];
  for (const piece of pieces) {
    const { style, text, width } = piece;
    const { id, glyphs } = fonts.encode(piece);
    const font = `/${id} ${style.size} Tf`;
    if (font !== lastFont) operators.push(font);
    if (style.color !== lastColor) operators.push(`${rgb(style.color)} rg`);
    operators.push(`1 0 0 1 ${number(at)} ${number(y)} Tm`);
    const shown = showOperators(glyphs, style.size);
    operators.push(...(needsActualText(piece) ? [`/Span <</ActualText <${utf16Hex(text)}>>> BDC`, ...shown, 'EMC'] : shown));
    [lastFont, lastColor] = [font, style.color];
    at += width;
  }
  return [...operators, 'ET', 'Q'].join('\n');
}

/** Glyphs above or below the line are shown by themselves, the others together. */
function showOperators(glyphs: readonly EncodedGlyph[], size: number): string[] {
  const operators: string[] = [];
  let items: string[] = [];
  let rise = 0;
  const flush = () => {
    if (items.length > 0) operators.push(`[${items.join(' ')}] TJ`);
    items = [];
  };
  for (const { code, xOffset, yOffset, extra } of glyphs) {
    if (yOffset !== rise) {
      flush();
      rise = yOffset;
      operators.push(`${number((rise * size) / 1000)} Ts`);
    }
    if (xOffset !== 0) items.push(number(-xOffset));
    items.push(`<${code}>`);
    if (extra !== xOffset) items.push(number(xOffset - extra));
  }
  flush();
  return rise === 0 ? operators : [...operators, '0 Ts'];
}

const number = (value: number): string => String(Math.round(value * 100) / 100);

const rgb = (color: string): string =>
  [1, 3, 5].map((at) => number(Number.parseInt(color.slice(at, at + 2), 16) / 255)).join(' ');

/** A text string with its byte order mark. */
const utf16Hex = (text: string): string => `feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}`;
