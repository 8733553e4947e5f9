import { primaryLanguage } from '@parlance/languages';
import { anyOf, entitiesOf, type EntityRecognizer } from './entity.js';

/** Digits, in groups or with decimals. */
const NUMBER = String.raw`(?<![\p{L}\p{N}.,])\d(?:[.,'\u00a0]?\d){0,18}`;

/** Numbers below ten stay words in a transcript. */
const SMALL: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, 'half a': 0.5, 'a quarter': 0.25 };
const SPOKEN = String.raw`(?<![\p{L}\p{N}])(?:${anyOf(Object.keys(SMALL))})(?=\s)`;

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^(?:hundred|cent)$/iu, 100],
  [/^(?:k|grand|thousand|tausend|mille?|mil)$/iu, 1e3],
  [/^(?:m|mn|mio|million(?:s|en)?|millones|millón|milioni|milione|milhões|milhão|miljoen)$/iu, 1e6],
  [/^(?:bn|mrd|billions?|milliarden?|milliards?|miliardi|miliardo|miljard)$/iu, 1e9],
  [/^trillions?$/iu, 1e12],
];
const SCALE = String.raw`(?:${anyOf('hundred thousand tausend mil mille million millions millionen millones millón milioni milione milhões miljoen mio milliarde milliarden milliard milliards miliardi miljard mrd billion billions trillion trillions grand bn mn k m'.split(' '))})(?![\p{L}\p{N}])\.?`;

/** Languages in which a point groups digits and a comma precedes decimals. */
const COMMA_DECIMALS = new Set('de fr es it pt nl ru uk pl sv da nb no fi cs tr id'.split(' '));

/** @returns the value of digits that are written as the language writes them */
function valueOf(digits: string, language: string): number {
  const plain = digits.replaceAll(/['\u00a0]/gu, '');
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (last < 0) return Number(plain);
  const isBoth = plain.includes('.') && plain.includes(',');
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/u.test(plain) && (plain[last] === ',') !== COMMA_DECIMALS.has(primaryLanguage(language));
  const isRepeated = plain.indexOf(plain[last] ?? '') !== last;
  if (!isBoth && (isGrouped || isRepeated)) return Number(plain.replaceAll(/[.,]/gu, ''));
  return Number(`${plain.slice(0, last).replaceAll(/[.,]/gu, '')}.${plain.slice(last + 1)}`);
}

/** An amount in figures without groups, at most with six decimals. */
function amountText(number: string, scale: string | undefined, language: string): string {
  const value = SMALL[number.toLowerCase()] ?? valueOf(number, language);
  const [, factor = 1] = SCALES.find(([name]) => name.test((scale ?? '').trim().replace(/\.$/u, ''))) ?? [];
  return String(Math.round(value * factor * 1e6) / 1e6);
}

/** Signs and names of currencies with their code in ISO 4217; a function where it depends on the language. */
const CURRENCIES: readonly (readonly [RegExp, string | ((locale: Intl.Locale) => string | undefined)])[] = [
  [/^(?:US\$|US dollars?|American dollars?)$/iu, 'USD'],
  [/^(?:CA\$|C\$|Canadian dollars?)$/iu, 'CAD'],
  [/^(?:A\$|AU\$|Australian dollars?)$/iu, 'AUD'],
  [/^(?:NZ\$|New Zealand dollars?)$/iu, 'NZD'],
  [/^(?:HK\$|Hong Kong dollars?)$/iu, 'HKD'],
  [/^(?:R\$|reais)$/iu, 'BRL'],
  [/^(?:\$|dollars?|bucks?|cents?|d[oó]lar(?:es)?)$/iu, ({ region = '' }) => DOLLARS[region] ?? 'USD'],
  [/^(?:€|euros?)$/iu, 'EUR'],
  [/^(?:£|pounds? sterling|quid|pence|pounds?)$/iu, 'GBP'],
  [/^(?:¥|￥)$/u, ({ language }) => (language === 'zh' ? 'CNY' : 'JPY')],
  [/^yen$/iu, 'JPY'],
  [/^(?:yuan|renminbi)$/iu, 'CNY'],
  [/^(?:₹|rupees?)$/iu, 'INR'],
  [/^(?:₩|won)$/iu, 'KRW'],
  [/^(?:₽|rubles?|roubles?|руб(?:лей|ля|ль)?)$/iu, 'RUB'],
  [/^₴$/u, 'UAH'],
  [/^₺$/u, 'TRY'],
  [/^₪$/u, 'ILS'],
  [/^(?:Swiss francs?|Franken|francs?)$/iu, 'CHF'],
  [/^(?:zł|zlotys?|złotych)$/iu, 'PLN'],
  [/^(?:kr|kronor|kroner)$/iu, ({ language }) => ({ sv: 'SEK', da: 'DKK', nb: 'NOK', no: 'NOK' })[language]],
  [/^pesos?$/iu, ({ region = '' }) => ({ MX: 'MXN', AR: 'ARS', CL: 'CLP', CO: 'COP', PH: 'PHP' })[region]],
];
const DOLLARS: Readonly<Record<string, string>> = { CA: 'CAD', AU: 'AUD', NZ: 'NZD', HK: 'HKD', SG: 'SGD', MX: 'MXN' };
/** Pounds are a weight too, except in these regions and with a word that says so. */
const POUNDS = /^pounds?$/iu;
const POUND_REGIONS = new Set(['GB', 'IE', 'GG', 'JE', 'IM']);
const SUBUNITS = /^(?:cents?|pence)$/iu;

/** Codes that are no words of their own. */
const CODES = 'USD EUR GBP JPY CHF CAD AUD NZD CNY HKD SGD INR SEK NOK DKK PLN CZK HUF RUB UAH ILS BRL MXN ZAR KRW THB AED SAR'.split(' ');
const SIGN = anyOf(['$', 'US$', 'CA$', 'AU$', 'NZ$', 'HK$', 'C$', 'A$', 'R$'].map((sign) => sign.replace('$', String.raw`\$`)).concat(...'€£¥￥₹₩₽₴₺₪'));
const NAMES = [
  ...['US', 'American', 'Canadian', 'Australian', 'New Zealand', 'Hong Kong'].flatMap((country) => [`${country} dollar`, `${country} dollars`]),
  ...'dollar dollars buck bucks cent cents dólar dólares dolar dolares euro euros pound pounds quid pence yen yuan renminbi rupee rupees won ruble rubles rouble roubles franc francs Franken zloty zlotys zł złotych kronor kroner kr peso pesos reais руб рубль рубля рублей'.split(' '),
  'pound sterling', 'pounds sterling', 'Swiss franc', 'Swiss francs',
];

const BEFORE = new RegExp(String.raw`(?<![\p{L}\p{N}])(?<unit>${SIGN}|(?:${anyOf(CODES)})(?= ))[ \u00a0]?(?<number>${NUMBER})(?:[ \u00a0]?(?<scale>${SCALE}))?`, 'giu');
const AFTER = new RegExp(String.raw`(?<number>${NUMBER}|${SPOKEN})(?:[ \u00a0](?<scale>${SCALE}))?[ \u00a0]?(?:de |d'|di )?(?<unit>${SIGN}|(?:${anyOf([...CODES, ...NAMES])})(?![\p{L}\p{N}]))`, 'giu');

/** Amounts of money, normalised to the code of ISO 4217 and the amount: `USD 5.5`. */
export const findMoney: EntityRecognizer = (text, { language }) =>
  [BEFORE, AFTER].flatMap((expression) =>
    entitiesOf(expression, text, ({ groups = {} }) => {
      const { unit = '', number = '', scale } = groups;
      const code = codeOf(unit, language);
      if (code === null || isOtherWord(groups, language)) return undefined;
      const amount = amountText(number, scale, language);
      return { type: 'money', ...(code && { normalized: `${code} ${SUBUNITS.test(unit) ? Number(amount) / 100 : amount}` }) };
    }),
  );

/** @returns undefined where the currency is not known, null when it names no currency */
function codeOf(unit: string, language: string): string | undefined | null {
  const locale = new Intl.Locale(language);
  if (CODES.includes(unit.toUpperCase())) return CODES.includes(unit) ? unit : null;
  if (POUNDS.test(unit) && !POUND_REGIONS.has(locale.region ?? '')) return null;
  const [, code] = CURRENCIES.find(([name]) => name.test(unit)) ?? [];
  return typeof code === 'function' ? code(locale) : code;
}

/** True for the English verb in "no one won" and for the wish in "a yen for travel". */
const isOtherWord = ({ unit = '', number = '', scale }: NonNullable<RegExpExecArray['groups']>, language: string): boolean =>
  (/^won$/iu.test(unit) && primaryLanguage(language) !== 'ko') || (/^yen$/iu.test(unit) && /^(?:an?|one)$/iu.test(number) && scale === undefined);

const PERCENTS = ['percent', 'per cent', 'Prozent', 'pour cent', 'por ciento', 'por cien', 'per cento', 'percento', 'por cento', 'procent', 'процент', 'процента', 'процентов'];
const PERCENT = new RegExp(String.raw`(?<number>${NUMBER}|${SPOKEN})[ \u00a0]?(?:[%٪％]|(?:${anyOf(PERCENTS)})(?![\p{L}\p{N}]))`, 'giu');

/** Shares of a hundred, normalised to figures and a sign: `12.5%`. */
export const findPercentages: EntityRecognizer = (text, { language }) =>
  entitiesOf(PERCENT, text, ({ groups }) => ({ type: 'percentage', normalized: `${amountText(groups?.number ?? '', undefined, language)}%` }));
