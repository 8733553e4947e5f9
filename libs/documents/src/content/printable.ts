/** What XML 1.0 (section 2.2) and readers of documents do not take, and marks that would turn the text around them. */
// oxlint-disable-next-line no-control-regex -- they are what is taken out
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]|\p{Surrogate}/gu;

/** A text on one line, of characters that may stand in a document, in their composed form. */
export const printable = (text: string): string => text.replace(/\s+/gu, ' ').replace(UNPRINTABLE, '').normalize('NFC').trim();

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** At most so many characters as a reader counts them, the last an ellipsis when there were more. */
export function shortened(text: string, maximum: number): string {
  // A grapheme is rarely longer than this; what is far too long need not be segmented whole.
  const parts = Array.from(graphemes.segment(text.slice(0, maximum * 16)), ({ segment }) => segment);
  return parts.length <= maximum ? parts.join('') : `${parts.slice(0, maximum - 1).join('').trimEnd()}…`;
}
