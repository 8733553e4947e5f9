import { splitSpaceless } from '@parlance/languages';
// @ts-expect-error The package brings no types.
import LineBreaker from 'linebreak';

interface Break {
  position: number;
  required: boolean;
}
type UnicodeLineBreaker = new (text: string) => { nextBreak(): Break | null };

/** Scripts whose breaks stand in dictionaries, of which UAX #14 says nothing (class SA). */
const BY_DICTIONARY = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2,}/gu;

/** Returns where lines may end, as offsets into the text, its end included (Unicode Standard Annex #14). */
export function lineOpportunities(text: string, language: string): number[] {
  const breaker = new (LineBreaker as UnicodeLineBreaker)(text);
  const places = new Set<number>();
  for (let found = breaker.nextBreak(); found; found = breaker.nextBreak()) places.add(found.position);
  for (const { 0: run, index } of text.matchAll(BY_DICTIONARY)) {
    let at = index;
    for (const word of splitSpaceless(run, language).slice(0, -1)) places.add((at += word.length));
  }
  return [...places].toSorted((one, other) => one - other);
}
