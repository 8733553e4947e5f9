const named = (names: string, first: number, step = 1): [string, number][] => names.split(' ').map((name, index) => [name, first + index * step]);

export const DIGITS: ReadonlyMap<string, number> = new Map(named('zero one two three four five six seven eight nine', 0));
const TEENS: ReadonlyMap<string, number> = new Map(named('ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen', 10));
export const TENS: ReadonlyMap<string, number> = new Map(named('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10));
const SCALES: ReadonlyMap<string, number> = new Map([['thousand', 1e3], ['million', 1e6], ['billion', 1e9], ['trillion', 1e12]]);

/** A number that was read from words, with how many of them. */
export interface Read {
  value: number;
  length: number;
}

export const isNumberWord = (word: string | undefined): boolean => word !== undefined && (DIGITS.has(word) || TEENS.has(word) || TENS.has(word));

/** Reads a number below a hundred from `from` on: `seven`, `twelve`, `forty two`. */
export function readBelowHundred(words: readonly string[], from: number): Read | undefined {
  const [first = '', second = ''] = [words[from], words[from + 1]];
  const small = DIGITS.get(first) ?? TEENS.get(first);
  if (small !== undefined) return { value: small, length: 1 };
  const tens = TENS.get(first);
  if (tens === undefined) return undefined;
  const units = DIGITS.get(second);
  return units ? { value: tens + units, length: 2 } : { value: tens, length: 1 };
}

/** Reads the longest cardinal number from `from` on: `two thousand three hundred and five`. */
export function readCardinal(words: readonly string[], from: number): Read | undefined {
  let [value, at, lowest] = [0, from, Infinity];
  for (;;) {
    const next = readBelowThousand(words, at > from ? afterAnd(words, at) : at);
    if (!next) break;
    const begin = at > from ? afterAnd(words, at) : at;
    const scale = SCALES.get(words[begin + next.length] ?? '') ?? 1;
    if (scale >= lowest || (at > from && next.value === 0)) break;
    value += next.value * scale;
    at = begin + next.length + (scale > 1 ? 1 : 0);
    lowest = scale;
    if (scale === 1) break;
  }
  return at === from ? undefined : { value, length: at - from };
}

/** `three hundred and five`, `nineteen hundred`. */
function readBelowThousand(words: readonly string[], from: number): Read | undefined {
  const first = readBelowHundred(words, from);
  if (!first || first.value === 0 || words[from + first.length] !== 'hundred') return first;
  const hundreds = first.length + 1;
  const begin = afterAnd(words, from + hundreds);
  const rest = readBelowHundred(words, begin);
  const isPart = rest !== undefined && rest.value > 0 && !SCALES.has(words[begin + rest.length] ?? '');
  return isPart ? { value: first.value * 100 + rest.value, length: begin - from + rest.length } : { value: first.value * 100, length: hundreds };
}

/** The position of the number behind an `and`. */
const afterAnd = (words: readonly string[], at: number): number => (words[at] === 'and' && isNumberWord(words[at + 1]) ? at + 1 : at);
