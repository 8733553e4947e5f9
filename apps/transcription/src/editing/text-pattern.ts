/** A text to find in segments. */
export interface TextSearch {
  find: string;
  matchCase: boolean;
  wholeWords: boolean;
}

const WORD = String.raw`[\p{L}\p{M}\p{N}_]`;

/** The pattern that finds a text as it is written; white space in it stands for any. */
export function textPattern({ find, matchCase, wholeWords }: TextSearch): RegExp {
  const literal = find.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`).replace(/\s+/gu, String.raw`\s+`);
  const bounded = wholeWords ? `(?<!${WORD})${literal}(?!${WORD})` : literal;
  return matchCase ? new RegExp(bounded, 'gu') : new RegExp(bounded, 'giu');
}
