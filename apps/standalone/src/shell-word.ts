/** The text as one word of a POSIX shell, quoted only where it must be. */
export function shellWord(text: string): string {
  if (/^[\w./,:@%+=][\w./,:@%+=-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
