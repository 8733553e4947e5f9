// The rules of the check of plain English. CONTRIBUTING.md explains them and says what to write instead.

/** A comment that starts with one of these is usually a fragment without subject and verb. */
const BANNED_OPENINGS = ['Of', 'Who', 'Whose', 'Whom', 'What', 'Whether', 'Where', 'How', 'Those'];

/** Words that describe processes, clients and events as if they were people, or that hide the usual term. */
const BANNED_WORDS = [
  'nobody', 'whoever', 'whomever', 'unheard', 'hears', 'heard', 'told', 'tells', 'mend', 'mends', 'mended',
  'goes on', 'go on', 'went on', 'in vain', 'is asked for', 'are asked for', 'was asked for', 'asked for again',
];

/** Constants for bounds start with MAX_ or MIN_. */
const BANNED_PREFIX = /^(?:MOST|LONGEST|LEAST)_/u;

/** Parts of identifiers, as words: `goOn` also matches `goOnWith` and `mayGoOn`. */
const BANNED_NAMES = [
  'patience', 'goOn', 'letIn', 'letGo', 'mend', 'Surroundings', 'tellApart', 'keepUp', 'lookedUp',
  'unlessVain', 'unlessThere', 'HeldLine', 'DueLine', 'habits', 'buried',
];

const OPENING = new RegExp(`^(?:${BANNED_OPENINGS.join('|')})\\b`, 'u');
const WORDS = new RegExp(`\\b(?:${BANNED_WORDS.join('|')})\\b`, 'giu');
const NAME_WORDS = BANNED_NAMES.map((name) => wordsOf(name));

/** @returns what is wrong with the text of one comment */
export function commentFaults(text) {
  const faults = wordFaults(text);
  const opening = OPENING.exec(text)?.[0];
  if (opening !== undefined && !text.includes('?')) faults.push(`starts with the fragment "${opening} …"`);
  return faults;
}

/** @returns what is wrong with a doc comment besides: it must end its last sentence, since it stands on one declaration */
export const docFaults = (text) => (/[,;]$/u.test(text) ? ['ends in the middle of a sentence'] : []);

/** @returns a fault for each banned word of a comment, message or document */
export const wordFaults = (text) => [...text.matchAll(WORDS)].map(([word]) => `says "${word.toLowerCase()}"`);

/** @returns a fault when an identifier that is declared contains a banned part */
export function nameFaults(name) {
  const prefix = BANNED_PREFIX.exec(name)?.[0];
  if (prefix !== undefined) return [`${name} starts with "${prefix}"`];
  const words = wordsOf(name);
  const found = NAME_WORDS.findIndex((banned) => words.some((_, at) => banned.every((word, index) => words[at + index] === word)));
  return found === -1 ? [] : [`${name} contains "${BANNED_NAMES[found]}"`];
}

/** `goOnWith`, `GO_ON` → go, on, … */
function wordsOf(name) {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, '_')
    .toLowerCase()
    .split('_')
    .filter(Boolean);
}
