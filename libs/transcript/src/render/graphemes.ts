const graphemeSegmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Characters that CJK fonts draw twice as wide as Latin ones (Unicode Standard Annex #11, Wide and Fullwidth, without emoji). */
const WIDE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const HALF_WIDTH = /^[\uff61-\uffdc]/u;

/** Splits a text into the characters that a reader sees: 'é' written as two code points is one, and so is a family emoji. */
export const graphemesOf = (text: string): string[] =>
  PRINTABLE_ASCII.test(text) ? [...text] : Array.from(graphemeSegmenter.segment(text), ({ segment }) => segment);

/** The columns that a text takes: a Chinese, Japanese or Korean character takes two, any other one. */
export const columnCount = (text: string): number =>
  PRINTABLE_ASCII.test(text) ? text.length : graphemesOf(text).reduce((sum, grapheme) => sum + columnsOf(grapheme), 0);

const columnsOf = (grapheme: string): number => (WIDE.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1);

/** The text in pieces of at most so many columns, of about the same length; a wide character is never cut. */
export function cutAtColumns(text: string, maximum: number): string[] {
  const count = Math.ceil(columnCount(text) / maximum);
  const goal = Math.ceil(columnCount(text) / count);
  const pieces: string[] = [];
  let [piece, columns] = ['', 0];
  for (const grapheme of graphemesOf(text)) {
    const width = columnsOf(grapheme);
    if (piece !== '' && (columns + width > maximum || columns >= goal)) {
      pieces.push(piece);
      [piece, columns] = ['', 0];
    }
    piece += grapheme;
    columns += width;
  }
  return piece === '' ? pieces : [...pieces, piece];
}
