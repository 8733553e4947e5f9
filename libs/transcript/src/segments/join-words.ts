/** Scripts written without spaces between words. Korean has them. */
const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const CJK_PUNCTUATION = String.raw`\u3000-\u303F\uFF00-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65`;

const ENDS_SPACELESS = new RegExp(`[${SPACELESS}\u30FC${CJK_PUNCTUATION}]$`, 'u');
const BEGINS_SPACELESS = new RegExp(`^[${SPACELESS}\u30FC${CJK_PUNCTUATION}]`, 'u');
const ENDS_CJK_PUNCTUATION = new RegExp(`[${CJK_PUNCTUATION}]$`, 'u');
const BEGINS_CJK_PUNCTUATION = new RegExp(`^[${CJK_PUNCTUATION}]`, 'u');
const ONLY_CLOSING = /^[.,;:!?%…)\]}»”’。，、؟،؛।]+$/u;
const ONLY_OPENING = /^[([{«“‘¿¡]+$/u;

/** What stands between two neighbouring words: a space, or nothing. */
export function separator(previous: string, next: string): '' | ' ' {
  if (ONLY_CLOSING.test(next) || ONLY_OPENING.test(previous)) return '';
  if (ENDS_CJK_PUNCTUATION.test(previous) || BEGINS_CJK_PUNCTUATION.test(next)) return '';
  return ENDS_SPACELESS.test(previous) && BEGINS_SPACELESS.test(next) ? '' : ' ';
}

/** The words as one line of text, each verbatim. */
export function joinWords(words: Iterable<{ text: string }>): string {
  let line = '';
  let previous: string | undefined;
  for (const { text } of words) {
    line += previous === undefined ? text : separator(previous, text) + text;
    previous = text;
  }
  return line;
}
