import { isRightToLeft, textDirection } from '@parlance/languages';

const RIGHT_TO_LEFT_MARK = '\u200f';
const RIGHT_TO_LEFT_LETTER = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * A caption's line between marks that make players set it from the right, its punctuation at the ends included: those that go
 * by the first letter, of which a name or a figure may be the first, and those that never ask.
 */
export function directed(line: string, language: string): string {
  const isTurned = textDirection(line) === 'rtl' || (isRightToLeft(language) && RIGHT_TO_LEFT_LETTER.test(line));
  return isTurned ? RIGHT_TO_LEFT_MARK + line + RIGHT_TO_LEFT_MARK : line;
}
