const RIGHT_TO_LEFT = String.raw`\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Samaritan}\p{Script=Mandaic}`;
const FIRST_STRONG = new RegExp(`[\\p{L}\\u200E\\u200F]`, 'u');
const IS_RIGHT_TO_LEFT = new RegExp(`[${RIGHT_TO_LEFT}\\u200F]`, 'u');

/** The direction of the first letter that has one (Unicode Bidirectional Algorithm, rule P2); undefined without letters. */
export function textDirection(text: string): 'ltr' | 'rtl' | undefined {
  const strong = FIRST_STRONG.exec(text)?.[0];
  if (strong === undefined) return undefined;
  return IS_RIGHT_TO_LEFT.test(strong) ? 'rtl' : 'ltr';
}

const LEFT_TO_RIGHT_MARK = '\u200e';
const RIGHT_TO_LEFT_MARK = '\u200f';
const LETTER = /\p{L}/gu;

/**
 * Returns the mark that goes between a text and what follows it in a paragraph, so that figures and signs after it are not
 * drawn into it (rules W2, W7 and N1 of the Unicode Bidirectional Algorithm).
 * @returns an empty text when all letters run in the direction of the paragraph
 */
export function closingMark(text: string, paragraph: 'ltr' | 'rtl'): string {
  const turned = text.match(LETTER)?.some((letter) => textDirection(letter) !== paragraph) ?? false;
  if (!turned) return '';
  return paragraph === 'rtl' ? RIGHT_TO_LEFT_MARK : LEFT_TO_RIGHT_MARK;
}

/** A text between others in a paragraph that may run the other way: figures at its beginning stay with it, and what follows is not drawn into it. */
export function inParagraph(text: string, paragraph: 'ltr' | 'rtl'): string {
  const closing = closingMark(text, paragraph);
  if (closing === '' || /^\p{L}/u.test(text)) return text + closing;
  return (textDirection(text) === 'rtl' ? RIGHT_TO_LEFT_MARK : LEFT_TO_RIGHT_MARK) + text + closing;
}

/** A date such as 2026-11-27, which after Arabic letters is drawn with its parts in turn (rules W2 and W4). */
export const dateInText = (date: string, paragraph: 'ltr' | 'rtl'): string => (paragraph === 'rtl' ? LEFT_TO_RIGHT_MARK + date : date);
