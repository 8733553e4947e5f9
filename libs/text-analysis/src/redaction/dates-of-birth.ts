import type { TextEntity } from '../entities/entity.js';
import type { RedactedPlace } from './policy.js';

/** Words that make a date behind them one of birth. */
const BIRTH = /(?<!\p{L})(?:born|birth|birthday|date of birth|d\.? ?o\.? ?b|geboren|geburtsdatum|geburtstag|née?|naissance|nacid[oa]|nací|nacimiento|nat[oa]|nascita|nascid[oa]|nascimento|geboortedatum)(?!\p{L})/iu;
/** Words behind a date that do the same. */
const BORN = /^,? ?(?:geboren|née?|geb\.)(?!\p{L})/iu;
/** Characters before a date in which the words are looked for. */
const REACH = 40;

/** The dates behind words that name a birth, in the same sentence, and before `geboren`. */
export const datesOfBirth = (text: string, dates: readonly TextEntity[]): RedactedPlace[] =>
  dates.filter(({ type, from, to }) => type === 'date' && (BIRTH.test(sentenceBefore(text, from)) || BORN.test(text.slice(to, to + REACH)))).map(({ from, to, normalized }) => ({ policy: 'date_of_birth', from, to, value: normalized ?? text.slice(from, to).toLowerCase() }));

function sentenceBefore(text: string, from: number): string {
  const before = text.slice(Math.max(0, from - REACH), from);
  return before.slice(Math.max(before.lastIndexOf('? '), before.lastIndexOf('! ')) + 1);
}
