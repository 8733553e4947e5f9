/** Matches characters that mean something in Markdown (CommonMark 0.31) wherever they stand. */
const MARKS = /[\\`*_[\]<>&|~]/g;

/** Matches the beginning of a line that would be a heading, a list, a quotation or a rule. */
const OPENING = /^(\s*)(?:([#+=-])|(\d{1,9})([.)]))/;

/** A text that Markdown shows as it is. */
export const markdownText = (text: string): string =>
  text.replace(MARKS, '\\$&').replace(OPENING, (_all, space: string, sign: string | undefined, number = '', end = '') => `${space}${number}\\${sign ?? end}`);
