const LETTER = /[\p{L}\p{N}]/u;
/** Scripts without spaces between words have no borders to keep. */
const WITHIN_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Hangul}\p{N}]{2}$/u;

/** The places where a name stands in a text letter by letter, at the borders of words. UTF-16 units. */
export function namePlaces(name: string, text: string): { from: number; to: number }[] {
  if (!LETTER.test(name)) return [];
  const places: { from: number; to: number }[] = [];
  for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + 1)) {
    const to = from + name.length;
    if (!isWithinWord(text, from) && !isWithinWord(text, to)) places.push({ from, to });
  }
  return places;
}

const isWithinWord = (text: string, at: number): boolean => at > 0 && at < text.length && WITHIN_WORD.test(text.slice(at - 1, at + 1));
