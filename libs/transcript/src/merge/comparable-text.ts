/** Vowel signs of Hebrew and Arabic and the stretching stroke, which engines write or leave out; the dot that 'İ' leaves behind. */
const OPTIONAL_MARKS = /[\u0591-\u05bd\u05bf\u05c1\u05c2]|[\u05c4\u05c5\u05c7]|[\u0610-\u061a]|[\u064b-\u065f]|\u0640|\u0670|\u0307/gu;

/** Without case, punctuation and optional marks, which engines set by what they hear around a word. */
export function comparableText(text: string): string {
  // Up and down again: 'ß' is 'ss', the two sigmas are one, and so are the dotted and the dotless i of Turkish.
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().replace(OPTIONAL_MARKS, '');
  return folded.replace(/[\p{P}\p{S}\s]+/gu, '') || folded;
}
