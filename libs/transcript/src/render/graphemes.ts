const graphemeSegmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** What a reader sees as characters: 'é' written as two code points is one, so is a family emoji. */
export const graphemesOf = (text: string): string[] =>
  PRINTABLE_ASCII.test(text) ? [...text] : Array.from(graphemeSegmenter.segment(text), ({ segment }) => segment);

export const graphemeCount = (text: string): number => (PRINTABLE_ASCII.test(text) ? text.length : graphemesOf(text).length);
