import { isRightToLeft, textDirection } from '@parlance/languages';
import bidiModule, { type Bidi } from 'bidi-js';

export type Direction = 'ltr' | 'rtl';

/** The package is a function; its types tell of an ES module. */
const bidi = (bidiModule as unknown as () => Bidi)();

const RIGHT_TO_LEFT_LETTER = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** An Arabic sentence that begins with a name in Latin letters is set from the right all the same. */
export function paragraphDirection(text: string, language: string): Direction {
  if (!isRightToLeft(language)) return textDirection(text) ?? 'ltr';
  return RIGHT_TO_LEFT_LETTER.test(text) || textDirection(text) === undefined ? 'rtl' : 'ltr';
}

/** The level of each UTF-16 unit by the Unicode Bidirectional Algorithm; odd is right to left. */
export const bidiLevels = (text: string, direction: Direction): Uint8Array => bidi.getEmbeddingLevels(text, direction).levels;

/** Returns the character that is drawn in right-to-left text: `)` for `(`. */
export const mirroredCharacter = (character: string): string => bidi.getMirroredCharacter(character) ?? character;

/** Items of a line as they are seen from left to right (rule L2): from the highest level to the lowest odd one, each stretch is turned. */
export function visualOrder<T extends { level: number }>(items: readonly T[]): T[] {
  const ordered = [...items];
  const highest = Math.max(0, ...items.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < ordered.length; from++) {
      if ((ordered[from]?.level ?? 0) < level) continue;
      let to = from;
      while ((ordered[to]?.level ?? -1) >= level) to++;
      ordered.splice(from, to - from, ...ordered.slice(from, to).toReversed());
      from = to;
    }
  }
  return ordered;
}
