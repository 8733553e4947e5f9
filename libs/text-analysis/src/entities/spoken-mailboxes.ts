import { ADDRESS_NOUNS, ARTICLES, BEFORE_AMOUNTS, BEFORE_INFINITIVES, BEFORE_NAMES, BEFORE_VERBS, BEHIND_MAIL, DETERMINERS, IS, isBeforeNoun, isBeforeSite, isFunctionWord, isParticiple, isPlace, isPronoun, MAIL_CUES, NAMES_LIKE_PLURALS, REACHING, ROLES, SENDING, SUBJECTS, TRADING } from './mailbox-words.js';
import type { TextWord } from './text-words.js';

/** Signs as they are spoken between the parts of an address. */
export const SIGNS: Readonly<Record<string, string>> = { dot: '.', dash: '-', hyphen: '-', underscore: '_', plus: '+' };

/** Words of a mailbox without signs between them: `green house`. */
const MAX_PLAIN_WORDS = 3;
/** Words between `address` and `is`, at most: `my address, in case you need it, is`. */
const NOUN_DISTANCE = 7;

/** The words around a host: `at` and the host itself lie between `last` and `next`. */
interface MailboxPlace {
  words: readonly TextWord[];
  /** Index of the last word of the mailbox. */
  last: number;
  /** Index of the first word behind the host. */
  next: number;
}

/**
 * The index of the first word of the mailbox before `at` and a host; undefined when the sentence speaks of a site (`the shop at
 * example dot com`). A mailbox with signs, figures or spelled letters is one. Of a single word the words around it decide: those of
 * mail come before one, articles, subjects and verbs before a site. Where nothing decides, it is a mailbox.
 */
export function mailboxBegin(place: MailboxPlace): number | undefined {
  const { words, last } = place;
  const joined = joinedBegin(words, last);
  if (joined === undefined) return undefined;
  const spelled = spelledBegin(words, joined);
  const cue = cueBefore(words, spelled);
  if (cue) return spelled < last || isAfterCue(cue, textAt(words, last)) ? cue.begin : undefined;
  if (spelled < last || /[a-z\d][._+][a-z\d]/iu.test(words[last]?.bare ?? '') || isMixed(textAt(words, last))) return spelled;
  return isMailbox(place) ? spelled : undefined;
}

const textAt = (words: readonly TextWord[], at: number): string => words[at]?.bare.toLowerCase() ?? '';
const isMixed = (word: string): boolean => /[a-z]/u.test(word) && /\d/u.test(word);
const isLabel = (word: TextWord | undefined): boolean => word !== undefined && !word.isClosed && /^[a-z0-9]+(?:[._+-][a-z0-9]+)*$/iu.test(word.bare);

/** The first of the labels with signs between them that end at a place. */
function joinedBegin(words: readonly TextWord[], last: number): number | undefined {
  if (!isLabel(words[last])) return undefined;
  let first = last;
  while (Object.hasOwn(SIGNS, textAt(words, first - 1)) && isLabel(words[first - 1]) && isLabel(words[first - 2])) first -= 2;
  return first;
}

const NUMBER = /^(?:\d+|zero|one|two|three|four|five|six|seven|eight|nine)$/u;

/** Takes letters and figures before them in: `j s m i t h`, `anna 99`. */
function spelledBegin(words: readonly TextWord[], begin: number): number {
  const isSpelled = (at: number): boolean => /^[a-z]$/u.test(textAt(words, at)) || NUMBER.test(textAt(words, at));
  let first = begin;
  while (isSpelled(first) && isSpelled(first - 1)) first -= 1;
  const before = textAt(words, first - 1);
  if (!NUMBER.test(textAt(words, first)) || !/^[a-z]+$/u.test(before) || words[first - 1]?.isClosed) return first;
  const isOther = isFunctionWord(before) || isBeforeSite(before) || [MAIL_CUES, SENDING, BEFORE_AMOUNTS].some((others) => others.has(before));
  return isOther ? first : first - 1;
}

interface Cue {
  /** `my address is`; `contact`; `write to`. */
  kind: 'states' | 'mails' | 'sends';
  /** Index of the first word behind it. */
  begin: number;
}

/** The words of mail before a mailbox, with plain words of the mailbox between. */
function cueBefore(words: readonly TextWord[], begin: number): Cue | undefined {
  for (let first = begin; first > begin - MAX_PLAIN_WORDS; first -= 1) {
    if (first < begin && (!isLabel(words[first]) || isFunctionWord(textAt(words, first)))) return undefined;
    const kind = cueAt(words, first - 1);
    if (kind) return { kind, begin: first };
  }
  return undefined;
}

function cueAt(words: readonly TextWord[], at: number): Cue['kind'] | undefined {
  const word = textAt(words, at);
  const before = (count: number): string[] => words.slice(Math.max(0, at - count), at).map(({ bare }) => bare.toLowerCase());
  if (/^(?:address|e-?mail)['’]s$/u.test(word)) return 'states';
  if (IS.has(word)) return before(NOUN_DISTANCE).some((one) => ADDRESS_NOUNS.has(one)) ? 'states' : undefined;
  if (words[at]?.isClosed) return undefined;
  if (MAIL_CUES.has(word)) return 'mails';
  if (word === 'to') return SENDING.has(textAt(words, at - 1)) ? 'sends' : undefined;
  return word === 'at' && before(3).some((one) => REACHING.has(one)) ? 'sends' : undefined;
}

/** `email us at` and `my address is hosted at` come before a site, though words of mail do. */
function isAfterCue({ kind }: Cue, word: string): boolean {
  if (isParticiple(word)) return false;
  if (kind === 'states') return isPronoun(word) || !isFunctionWord(word);
  return !isFunctionWord(word) && !(kind === 'mails' && BEHIND_MAIL.has(word));
}

/** Judges a single word without words of mail before it. */
function isMailbox({ words, last, next }: MailboxPlace): boolean {
  const word = textAt(words, last);
  if (isVerb(words, last) || isFunctionWord(word) || isAmount(words, last) || word.includes('-')) return false;
  if (ROLES.has(word) || ADDRESS_NOUNS.has(textAt(words, next))) return true;
  if (isPlace(word) && textAt(words, last - 1) === 'to') return true;
  return !isBeforeSite(word) && !hasArticle(words, last) && !isPlural(words, last, next);
}

/** `it costs 20`, `they sold 20`. */
const isAmount = (words: readonly TextWord[], at: number): boolean => NUMBER.test(textAt(words, at)) && (BEFORE_AMOUNTS.has(textAt(words, at - 1)) || isBeforeSite(textAt(words, at - 1)));

/** `they shop`, `you can always shop`, `you'll shop`, `I like to shop`. */
function isVerb(words: readonly TextWord[], at: number): boolean {
  let before = at - 1;
  while (BEFORE_VERBS.has(textAt(words, before)) && !words[before]?.isClosed) before -= 1;
  const word = textAt(words, before);
  if (word === 'to') return BEFORE_INFINITIVES.has(textAt(words, before - 1));
  return SUBJECTS.has(word) || (word === 'you' && before < at - 1) || /^(?:i|you|we|they|he|she)['’](?:ll|d|ve)$/u.test(word);
}

/** `the offer`, `a great offer`, `the customer portal`, `Tom's offer`; not `my friend Tom`. */
function hasArticle(words: readonly TextWord[], at: number): boolean {
  let first = at - 1;
  while (isBeforeNoun(textAt(words, first)) && !words[first]?.isClosed) first -= 1;
  if (words[first]?.isClosed) return false;
  const word = textAt(words, first);
  if (DETERMINERS.has(word) || (/.['’]s$/u.test(word) && !isFunctionWord(word) && !IS.has(word))) return true;
  return first === at - 1 && !isFunctionWord(word) && !BEFORE_NAMES.has(word) && !ADDRESS_NOUNS.has(word) && ARTICLES.has(textAt(words, first - 1)) && !words[first - 1]?.isClosed;
}

/** `three offers at …`, `compare offers at …`, `offers at … are`: an address is one thing, unless `and` comes before it. */
function isPlural(words: readonly TextWord[], at: number, next: number): boolean {
  const word = textAt(words, at);
  if (!word.endsWith('s') || NAMES_LIKE_PLURALS.has(word)) return false;
  return TRADING.has(textAt(words, at - 1)) || NUMBER.test(textAt(words, at - 1)) || (['are', 'were', 'have'].includes(textAt(words, next)) && textAt(words, at - 1) !== 'and');
}
