const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;

/** A word between the punctuation around it; all of a text without letters is punctuation before it. */
export function partsOf(text: string): { opening: string; letters: string; closing: string } {
  const characters = [...text];
  const isLetter = (character: string) => LETTER_OR_DIGIT.test(character);
  const first = characters.findIndex(isLetter);
  if (first < 0) return { opening: text, letters: '', closing: '' };
  const end = characters.findLastIndex(isLetter) + 1;
  return { opening: characters.slice(0, first).join(''), letters: characters.slice(first, end).join(''), closing: characters.slice(end).join('') };
}

/** The word as it is compared: without the punctuation around it, in small letters. */
export const keyOf = (text: string): string => partsOf(text).letters.normalize('NFC').toLowerCase();

/** The word with its first letter in upper case. A word with a capital inside, such as iPhone, stays as it is. */
export const capitalized = (text: string): string => (/\p{Lu}/u.test(text) ? text : text.replace(/\p{Ll}/u, (letter) => letter.toUpperCase()));

/** The texts in small letters, where all of them are capitals: some engines write so. */
export function smallLetters(texts: readonly string[]): readonly string[] {
  const isAllCapitals = texts.some((text) => /\p{Lu}{2}/u.test(text)) && !texts.some((text) => /\p{Ll}/u.test(text));
  return isAllCapitals ? texts.map((text) => text.toLowerCase()) : texts;
}
