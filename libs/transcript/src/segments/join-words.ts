import { SPACELESS_CLASS } from '@parlance/languages';

const CJK_PUNCTUATION = String.raw`\u3000-\u303F\uFF00-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65`;

const ENDS_SPACELESS = new RegExp(`[${SPACELESS_CLASS}${CJK_PUNCTUATION}]$`, 'u');
const BEGINS_SPACELESS = new RegExp(`^[${SPACELESS_CLASS}${CJK_PUNCTUATION}]`, 'u');
const ENDS_CJK_PUNCTUATION = new RegExp(`[${CJK_PUNCTUATION}]$`, 'u');
const BEGINS_CJK_PUNCTUATION = new RegExp(`^[${CJK_PUNCTUATION}]`, 'u');
const ONLY_CLOSING = /^[.,;:!?%…)\]}»”’。，、؟،؛।]+$/u;
const ONLY_OPENING = /^[([{«“‘¿¡]+$/u;

/** `2026年`, `APIは`: Chinese and Japanese write figures, and Japanese also foreign words, without a space. */
const CLOSE_TO_FIGURES = /\d\p{Script=Han}|\p{Script=Han}\d/u;
const CLOSE_TO_KANA = /[\p{Script=Latin}\d][\p{Script=Hiragana}\p{Script=Katakana}]|[\p{Script=Hiragana}\p{Script=Katakana}][\p{Script=Latin}\d]/u;

/** Returns the text between two neighbouring words: a space, or nothing. */
export function separator(previous: string, next: string): '' | ' ' {
  if (ONLY_CLOSING.test(next) || ONLY_OPENING.test(previous)) return '';
  if (ENDS_CJK_PUNCTUATION.test(previous) || BEGINS_CJK_PUNCTUATION.test(next)) return '';
  if (ENDS_SPACELESS.test(previous) && BEGINS_SPACELESS.test(next)) return '';
  const joint = lastCharacter(previous) + firstCharacter(next);
  return CLOSE_TO_FIGURES.test(joint) || CLOSE_TO_KANA.test(joint) ? '' : ' ';
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

const firstCharacter = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0x20);
const lastCharacter = (text: string): string => /.$/su.exec(text)?.[0] ?? '';
