import { DIGITS, isNumberWord, readBelowHundred, readCardinal, TENS, type Read } from './cardinal.js';

/** Words that are written in figures, with how many of them. */
export interface Figures {
  text: string;
  length: number;
}

type Reader = (words: readonly string[], from: number) => Figures | undefined;

const ORDINALS: ReadonlyMap<string, number> = new Map(
  ('first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth')
    .split(' ')
    .map((name, index) => [name, index + 1]),
);
const ROUND_ORDINALS: ReadonlyMap<string, number> = new Map('twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth'.split(' ').map((name, index) => [name, 20 + index * 10]));
const DECADES: ReadonlyMap<string, number> = new Map('twenties thirties forties fifties sixties seventies eighties nineties'.split(' ').map((name, index) => [name, 20 + index * 10]));
const MONTHS = new Set('january february march april may june july august september october november december'.split(' '));
const CENTURIES: ReadonlyMap<string, number> = new Map([['seventeen', 17], ['eighteen', 18], ['nineteen', 19], ['twenty', 20]]);
const CURRENCIES: ReadonlyMap<string, string> = new Map([['dollar', '$'], ['dollars', '$'], ['euro', '€'], ['euros', '€']]);
const BEFORE_TIME = new Set('at by until till around about from before after since'.split(' '));
const MORNING = new Set(['am', 'a.m']);
const EVENING = new Set(['pm', 'p.m']);
const SMALLEST_FIGURE = 10;
const MILLION = 1e6;

/** Finds what is written in figures at `from`; the words are in small letters without punctuation around them. */
export function readFigures(words: readonly string[], from: number): Figures | undefined {
  for (const read of [readTime, readDigits, readDecade, readMoney, readPercent, readOrdinal, readYear, readNumber]) {
    const figures = read(words, from);
    if (figures) return figures;
  }
  return undefined;
}

/** `three thirty p m`, `at ten fifteen`, `five o'clock`. */
const readTime: Reader = (words, from) => {
  const hour = readBelowHundred(words, from);
  if (!hour || hour.value < 1 || hour.value > 12) return undefined;
  const minutes = readMinutes(words, from + hour.length);
  const length = hour.length + (minutes?.length ?? 0);
  const clock = minutes ? `${hour.value}:${String(minutes.value).padStart(2, '0')}` : String(hour.value);
  const half = readHalf(words, from + length);
  if (half) return { text: `${clock} ${half.text}`, length: length + half.length };
  if (!minutes && words[from + length] === "o'clock") return { text: `${clock} o'clock`, length: length + 1 };
  return minutes && BEFORE_TIME.has(words[from - 1] ?? '') && !isNumberWord(words[from + length]) && !UNITS.has(words[from + length] ?? '') ? { text: clock, length } : undefined;
};

const UNITS = new Set(['hundred', 'thousand', 'million', 'billion', 'trillion', 'percent', 'point', ...CURRENCIES.keys()]);

function readMinutes(words: readonly string[], from: number): Read | undefined {
  if (words[from] === 'oh' && DIGITS.has(words[from + 1] ?? '')) return { value: DIGITS.get(words[from + 1] ?? '') ?? 0, length: 2 };
  const read = readBelowHundred(words, from);
  return read && read.value >= 10 && read.value < 60 ? read : undefined;
}

function readHalf(words: readonly string[], from: number): Figures | undefined {
  const [first = '', second = ''] = [words[from], words[from + 1]];
  if (MORNING.has(first) || EVENING.has(first)) return { text: MORNING.has(first) ? 'a.m.' : 'p.m.', length: 1 };
  return (first === 'a' || first === 'p') && second === 'm' ? { text: `${first}.m.`, length: 2 } : undefined;
}

/** `five five five oh one`: at least three figures said one by one. */
const readDigits: Reader = (words, from) => {
  let text = '';
  for (let at = from; ; at += 1) {
    const word = words[at] ?? '';
    const figure = DIGITS.get(word) ?? (word === 'oh' && text !== '' ? 0 : undefined);
    if (figure === undefined) return text.length >= 3 ? { text, length: text.length } : undefined;
    text += figure;
  }
};

/** `nineteen eighties`. */
const readDecade: Reader = (words, from) => {
  const [century, decade] = [CENTURIES.get(words[from] ?? ''), DECADES.get(words[from + 1] ?? '')];
  return century !== undefined && decade !== undefined ? { text: `${century * 100 + decade}s`, length: 2 } : undefined;
};

/** `nineteen eighty four`, `twenty oh five`. */
const readYear: Reader = (words, from) => {
  const century = CENTURIES.get(words[from] ?? '');
  if (century === undefined) return undefined;
  const rest = readMinutes(words, from + 1) ?? readBelowHundred(words, from + 1);
  const next = words[from + 1 + (rest?.length ?? 0)];
  if (!rest || (rest.value < 10 && rest.length === 1) || UNITS.has(next ?? '') || isNumberWord(next) || isNumberWord(words[from - 1])) return undefined;
  return { text: String(century * 100 + rest.value), length: 1 + rest.length };
};

/** `three point one four` and whole numbers, as text. */
function readAmount(words: readonly string[], from: number): (Read & { text: string }) | undefined {
  const whole = readCardinal(words, from);
  if (!whole) return undefined;
  let [decimals, at] = ['', from + whole.length + 1];
  if (words[from + whole.length] === 'point') for (; DIGITS.has(words[at] ?? '') || (words[at] === 'oh' && decimals !== ''); at += 1) decimals += DIGITS.get(words[at] ?? '') ?? 0;
  if (decimals === '') return { ...whole, text: numberText(whole.value) };
  const scale = words[at] === 'million' || words[at] === 'billion' ? ` ${words[at]}` : '';
  return { value: Number(`${whole.value}.${decimals}`), text: `${whole.value}.${decimals}${scale}`, length: at - from + (scale === '' ? 0 : 1) };
}

/** `five dollars and twenty cents`. */
const readMoney: Reader = (words, from) => {
  const amount = readAmount(words, from);
  const sign = amount && CURRENCIES.get(words[from + amount.length] ?? '');
  if (!amount || !sign) return undefined;
  const length = amount.length + 1;
  const begin = words[from + length] === 'and' ? from + length + 1 : from + length;
  const cents = readBelowHundred(words, begin);
  if (!cents || !Number.isInteger(amount.value) || !/^cents?$/.test(words[begin + cents.length] ?? '')) return { text: sign + amount.text, length };
  return { text: `${sign}${amount.text}.${String(cents.value).padStart(2, '0')}`, length: begin - from + cents.length + 1 };
};

/** `five percent`, `two point five per cent`. */
const readPercent: Reader = (words, from) => {
  const amount = readAmount(words, from);
  if (!amount) return undefined;
  const at = from + amount.length;
  if (words[at] === 'percent') return { text: `${amount.text}%`, length: amount.length + 1 };
  return words[at] === 'per' && words[at + 1] === 'cent' ? { text: `${amount.text}%`, length: amount.length + 2 } : undefined;
};

/** `twenty third`, `tenth`; below ten only beside a month. `twenty second` may also be a length of time. */
const readOrdinal: Reader = (words, from) => {
  const tens = TENS.get(words[from] ?? '');
  const units = tens === undefined ? undefined : ORDINALS.get(words[from + 1] ?? '');
  const isCompound = tens !== undefined && units !== undefined && units < 10;
  const value = isCompound ? tens + units : (ORDINALS.get(words[from] ?? '') ?? ROUND_ORDINALS.get(words[from] ?? ''));
  if (value === undefined) return undefined;
  const length = isCompound ? 2 : 1;
  const isDate = MONTHS.has(words[from - 1] ?? '') || MONTHS.has(words[from + length] ?? '') || (words[from + length] === 'of' && MONTHS.has(words[from + length + 1] ?? ''));
  if (!isDate && (value < SMALLEST_FIGURE || (units === 2 && words[from - 1] !== 'the'))) return undefined;
  return { text: `${value}${ordinalSuffix(value)}`, length };
};

function ordinalSuffix(value: number): string {
  if (value % 100 > 10 && value % 100 < 14) return 'th';
  return ['th', 'st', 'nd', 'rd'][value % 10] ?? 'th';
}

/** Numbers from ten on, and those with a point. One that stands beside another number is ambiguous and stays. */
const readNumber: Reader = (words, from) => {
  const amount = readAmount(words, from);
  if (!amount || (amount.value < SMALLEST_FIGURE && !amount.text.includes('.'))) return undefined;
  const next = words[from + amount.length];
  if (isNumberWord(next) || isNumberWord(words[from - 1]) || next === 'second' || next === 'hundred') return undefined;
  return { text: amount.text, length: amount.length };
};

function numberText(value: number): string {
  if (value >= MILLION && value % (MILLION / 10) === 0) return value % (MILLION * 1000) === 0 ? `${value / (MILLION * 1000)} billion` : `${value / MILLION} million`;
  return value < 10_000 ? String(value) : value.toLocaleString('en-US');
}
