import type { Word } from '../transcript.js';
import { endsClause, endsSentence } from '../segments/sentence-end.js';
import { keyOf } from './word-parts.js';

/** Seconds of silence that end a sentence. Measured with the built-in engine: pauses within sentences are below 0.5 s, between them above 0.7 s. */
const SENTENCE_PAUSE = 0.6;
/** Seconds of silence that end a sentence behind a word that leads on, such as `the`. */
const LONG_PAUSE = 1.5;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** A sentence seldom ends with one of these. */
const LEADS_ON = words(
  'a an the this my your his her its our their and or but nor so because if when while although though unless as than that which who whose ' +
    'of to in at from with without into onto by for between about is are was were am be been has have had will would can could should must might may do does did not very',
);
const WH = words('what where when why how who whom which whose');
const AUXILIARIES = words("is are was were do does did can could will would should has have had isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't haven't hasn't");
const SUBJECTS = words('i you he she it we they there this that these those the anyone anybody someone');
/** Asks for more than a subject: how much, what kind. */
const DEGREES = words('much many long far often old big about else kind sort time');
const CONTRACTED = words("what's where's when's why's how's who's");
const ASKS_YOU = words('can could will would do did');

/** True when a sentence ends between the words held and the next one. */
export function isSentenceEnd(held: readonly Word[], next: Word, following: string | undefined): boolean {
  const last = held.at(-1);
  if (!last) return false;
  if (endsSentence(last.text, next.text)) return true;
  const pause = next.start - last.end;
  if (pause > SENTENCE_PAUSE) return pause > LONG_PAUSE || !LEADS_ON.has(keyOf(last.text));
  return beginsQuestion(held.map(({ text }) => keyOf(text)), keyOf(next.text), following === undefined ? '' : keyOf(following)) && !endsClause(last.text);
}

/** `when do`, `can you` behind at least three other words: people seldom turn subject and verb around within a statement. */
function beginsQuestion(before: readonly string[], first: string, second: string): boolean {
  if (before.length < 3 || LEADS_ON.has(before.at(-1) ?? '') || before.some((word) => WH.has(word))) return false;
  return (WH.has(first) && first !== 'which' && first !== 'who' && (second === 'do' || second === 'does' || second === 'did')) || (ASKS_YOU.has(first) && second === 'you');
}

/** True when a sentence asks: it begins with a question word before a verb, or with a verb before its subject. */
export function isQuestion(texts: readonly string[]): boolean {
  const [first = '', second = '', ...rest] = texts.map(keyOf).filter((word) => !LEAD_INS.has(word));
  if (CONTRACTED.has(first)) return true;
  if (WH.has(first)) return AUXILIARIES.has(second) ? first !== 'which' : DEGREES.has(second) && rest.slice(0, 3).some((word) => AUXILIARIES.has(word));
  return AUXILIARIES.has(first) && SUBJECTS.has(second) && !(HAD.has(first) && texts.length > SHORT);
}

/** Words before a question that are no part of it. */
const LEAD_INS = words('and but so well okay ok now oh then');
/** `had he married …` is a condition where it is long. */
const HAD = words('had should were');
const SHORT = 6;
