import type { EntityRecognizer, TextEntity } from './entity.js';
import { isCapitalized, runFrom, wordsIn, type TextWord } from './text-words.js';

const TITLES = new Set('Mr Mrs Ms Miss Mister Dr Doctor Prof Professor Sir Madam Judge Senator Captain Herr Herrn Frau Monsieur Madame Señor Señora Signor Signora'.split(' '));
const PARTICLES = new Set(['von', 'van', 'de', 'di', 'du', 'der']);
const LEGAL_FORMS = new Set('Inc Incorporated Corp Corporation LLC LLP Ltd Limited PLC plc GmbH AG KG SE BV NV AB SA SAS SpA Srl Pty'.split(' '));
/** Words of a name. */
const MAX_NAME = 4;

/** People with a title and organisations with a legal form, where capitals show their names. Rules know no others. */
export const findTitledNames: EntityRecognizer = (text) => {
  const words = wordsIn(text);
  return words.flatMap((_word, index) => [...person(words, index), ...organization(words, index, text)]);
};

function person(words: readonly TextWord[], index: number): TextEntity[] {
  const title = words[index];
  if (!title || !TITLES.has(title.bare)) return [];
  const particles = runFrom(words, index + 1, 2, ({ bare }) => PARTICLES.has(bare));
  const last = runFrom(words, index + 1 + particles.length, MAX_NAME, isCapitalized).at(-1);
  return last ? [{ type: 'person', from: title.from, to: last.to }] : [];
}

/** The words with capitals before a legal form; a full stop before them ends another sentence. */
function organization(words: readonly TextWord[], index: number, text: string): TextEntity[] {
  const form = words[index];
  if (!form || !LEGAL_FORMS.has(form.bare)) return [];
  let first = index;
  while (first > 0 && index - first < MAX_NAME) {
    const before = words[first - 1];
    if (!before || !(isCapitalized(before) || before.bare === '&') || (before.isClosed && (first < index || text[before.to] !== ','))) break;
    first -= 1;
  }
  if (words[first]?.bare === '&') first += 1;
  const isAbbreviated = /^(?:Inc|Corp|Ltd|Pty)$/u.test(form.bare) && text[form.to] === '.';
  return first < index ? [{ type: 'organization', from: words[first]?.from ?? form.from, to: form.to + (isAbbreviated ? 1 : 0) }] : [];
}
