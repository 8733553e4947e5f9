import validator from 'validator';
import { card, digits, iban, ibanOf, luhnDigit, withOtherEnd } from './numbers.mjs';
import { randomFrom } from '../random.mjs';

const ONES = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS = ['', '', ...'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')];
const TIMES = ['', '', 'double', 'triple'];

/**
 * Numbers that are harder to find or to leave: cards with dashes, with their date and code behind, dictated in pairs, with `double` and
 * `oh`, and with a pause that is filled; accounts with letters in them; national numbers of ten countries; and what passes the check of a card
 * by chance: order numbers, telephone numbers, barcodes, and accounts with a wrong check digit. The same ones for a seed. @param set of the sentences without an e-mail address: 0 or 1
 */
export function hardNumbers(count, seed, set) {
  const next = randomFrom(seed);
  const random = (bound) => Math.floor(next() * bound);
  return Array.from({ length: count }, (_, index) => {
    const { policy, text, before = '', after = '', language = 'en-US' } = KINDS[index % KINDS.length](random, set);
    return { language, text: `${before}${text}${after}`, labels: policy ? [{ policy, from: before.length, to: before.length + text.length }] : [] };
  });
}

const pick = (list, random) => list[random(list.length)];
const groups = (number, sizes) => {
  let at = 0;
  return [...sizes, number.length].map((size) => number.slice(at, (at += size))).filter((part) => part !== '');
};
/** Groups of four, as on the card; American Express has its own. */
const cardGroups = (number) => groups(number, number.length === 15 ? [4, 6, 5] : [4, 4, 4, 4]);

const CARD_FRAMES = [['My card is ', ', thank you'], ['okay the number is ', ' and the name is on it'], ['Charge ', ' instead of the old one.'], ['It is the one with ', ''], ['yes ', ' that one']];
const inFrame = (random, policy, text) => {
  const [before, after] = pick(CARD_FRAMES, random);
  return { policy, text, before, after };
};

const dashedCard = (random) => inFrame(random, 'card_number', cardGroups(card(random)).join(pick(['-', ' - ', '.', ' '], random)));
function cardWithDate(random) {
  const [before, after] = pick([['card ', ''], ['', ' please']], random);
  return { policy: 'card_number', text: cardGroups(card(random)).join(' '), before, after: `, ${pick(['12/27', '03 28', 'expires 11/29'], random)}, ${digits(3, random)}${after}` };
}
const pairedCard = (random) => inFrame(random, 'card_number', pairs(card(random)));
const doubledCard = (random) => inFrame(random, 'card_number', doubled(card(random), random));
function filledCard(random) {
  const parts = cardGroups(card(random)).map((part) => [...part].map((digit) => ONES[digit]).join(' '));
  return inFrame(random, 'card_number', parts.join(pick([' uh ', ', um, ', ' , ', ' dash '], random)));
}

/** `forty one eleven oh five`. */
function pairs(number) {
  return groups(number, Array.from({ length: Math.ceil(number.length / 2) }, () => 2)).map((part) => {
    if (part.length === 1) return ONES[part];
    const [tens, ones] = [Number(part[0]), Number(part[1])];
    if (tens === 0) return `${ones === 0 ? 'zero' : 'oh'} ${ONES[ones]}`;
    if (tens === 1) return TEENS[ones];
    return ones === 0 ? TENS[tens] : `${TENS[tens]} ${ONES[ones]}`;
  }).join(' ');
}

/** `four double one, triple five oh`. */
const doubled = (number, random) =>
  number.replaceAll(/(\d)\1{0,2}/gu, (run) => ` ${run.length > 1 ? `${TIMES[run.length]} ` : ''}${run[0] === '0' ? pick(['oh', 'zero'], random) : ONES[run[0]]}`).trim();

const digitByDigit = (number) => cardGroups(number).map((part) => [...part].map((digit) => ONES[digit]).join(' ')).join(', ');

/** A card number as it is dictated: digit by digit, with `double` and `oh`, or in pairs. */
export function spokenCard(index, random) {
  const number = card(random);
  return [digitByDigit(number), doubled(number, random), pairs(number)][index % 3];
}

const LETTERED = [['GB', 'WEST', 14], ['NL', 'ABNA', 10], ['IE', 'AIBK', 14], ['NO', '', 11], ['FR', '', 23], ['CH', '', 17]];
function letteredIban(random) {
  const [country, bank, length] = pick(LETTERED, random);
  const number = ibanOf(country, bank, length, random);
  const text = pick([number, number.match(/.{1,4}/gu).join(' '), number.match(/.{1,4}/gu).join('-')], random);
  const [before, after] = pick([['Send it to ', ', please.'], ['the IBAN is ', ''], ['account ', ' at my bank']], random);
  return { policy: 'iban', text, before, after };
}
function spelledIban(random) {
  const number = iban(random);
  const text = `${number.slice(0, 2).toLowerCase().split('').join(' ')} ${doubled(number.slice(2), random)}`;
  return { policy: 'iban', text, before: pick(['the i b a n is ', 'it is ', ''], random), after: pick([' okay', ''], random) };
}
function wrongIban(random) {
  const number = withOtherEnd(iban(random));
  return { text: pick([number, number.match(/.{1,4}/gu).join(' '), number.match(/.{1,4}/gu).join('-')], random), before: 'the account ' };
}

/** Passes Luhn and begins as a card does. */
const likeCard = (length, random) => {
  const body = `${pick(['4', '52', '35', '6011'], random)}${digits(20, random)}`.slice(0, length - 1);
  return body + luhnDigit(body);
};
const ORDERS = [['Your order number is ', ' and it ships today.'], ['the tracking number ', ' does not work'], ['invoice no. ', ', from May'], ['The serial number reads ', '.'], ['reference number: ', ''], ['it says case number ', ' on the letter']];
function order(random) {
  const [before, after] = pick(ORDERS, random);
  return { policy: 'number_sequence', text: likeCard(pick([13, 15, 16, 16], random), random), before, after };
}
/** A number of a German mobile, so long that thirteen digits begin with the 4 of a Visa card. */
function phone(random) {
  for (;;) {
    const number = `49${pick(['1512', '1523', '1577', '1603'], random)}${digits(7, random)}`;
    if (luhnDigit(number.slice(0, -1)) !== number.at(-1)) continue;
    return { policy: 'phone_number', text: `+${number.slice(0, 2)} ${number.slice(2, 6)} ${number.slice(6)}`, before: pick(['reach me at ', 'it is ', ''], random), after: pick([' after six', '.', ''], random), language: 'en-US' };
  }
}
const domesticPhone = (random) => ({ policy: 'phone_number', text: pick([`(415) 555-${digits(4, random)}`, `212-555-${digits(4, random)}`, `646 555 ${digits(4, random)}`], random), before: pick(['call ', 'my number is ', 'or '], random), after: pick([' tonight', '', ', thanks'], random) });
const barcode = (random) => ({ policy: 'number_sequence', text: `40${digits(11, random)}`, before: pick(['the barcode is ', 'EAN '], random), after: '' });

const weighted = (number, weights) => weights.reduce((sum, weight, index) => sum + weight * Number(number[index]), 0);
const until = (make, isRight) => {
  for (;;) {
    const number = make();
    if (isRight(number)) return number;
  }
};
/** Each with a sum of its own here, so that the library that finds them is not their judge, but where it says so. */
const NATIONAL = {
  'en-US': (random) => ({ text: `${1 + random(5)}${1 + random(9)}${digits(1, random)}-${10 + random(89)}-${1000 + random(8999)}`, before: 'her social is ' }),
  'en-GB': (random) => ({ text: `${pick(['AB', 'JK', 'PR'], random)} ${10 + random(89)} ${10 + random(89)} ${10 + random(89)} ${pick(['A', 'B', 'C'], random)}`, before: 'the insurance number is ' }),
  'es-ES': (random) => {
    const number = String(10_000_000 + random(89_999_999));
    return { text: `${number}${pick(['', '-'], random)}${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23]}`, before: 'mi documento es ' };
  },
  'pl-PL': (random) => {
    const body = `8${digits(1, random)}0${1 + random(9)}1${digits(5, random)}`;
    return { text: `${body}${(10 - (weighted(body, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10}`, before: 'mój PESEL to ' };
  },
  'nl-NL': (random) => ({ text: until(() => `${1 + random(9)}${digits(8, random)}`, (number) => weighted(number, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0), before: 'mijn nummer is ' }),
  'pt-BR': (random) => {
    const body = `${1 + random(9)}${digits(8, random)}`;
    const check = (number) => ((weighted(number, [...number].map((_, index) => number.length + 1 - index)) * 10) % 11) % 10;
    const first = `${body}${check(body)}`;
    const number = `${first}${check(first)}`;
    return { text: `${number.slice(0, 3)}.${number.slice(3, 6)}.${number.slice(6, 9)}-${number.slice(9)}`, before: 'meu CPF é ' };
  },
  'de-DE': (random) => ({ text: until(() => `${1 + random(9)}${digits(10, random)}`, (number) => validator.isTaxID(number, 'de-DE')).replace(/^(..)(...)(...)(...)$/u, pick(['$1$2$3$4', '$1 $2 $3 $4'], random)), before: 'die Nummer ist ' }),
};
function national(random) {
  const language = pick(Object.keys(NATIONAL), random);
  return { language, policy: 'national_id', after: pick([' okay', '.', ''], random), ...NATIONAL[language](random) };
}
/** Other numbers of as many digits. */
const notNational = (random) => ({ language: pick(['en-US', 'es-ES', 'pl-PL', 'nl-NL', 'pt-BR', 'de-DE'], random), policy: 'number_sequence', text: digits(pick([8, 9, 10, 11], random), random), before: pick(['BX ', 'Teil ', 'item '], random) });

const MAILBOXES = ['j.r.smith', 'anna99', 'o-connor', 'help_desk', 'first.last', 'x'];
const HOSTS = ['example.co.uk', 'my-firm.example.com', 'uni.example.edu', 'example.io'];
function email(random) {
  const address = `${pick(MAILBOXES, random)}@${pick(HOSTS, random)}`;
  const spoken = address.replace('@', ' at ').replaceAll('.', ' dot ').replaceAll('_', ' underscore ').replaceAll('-', pick([' dash ', ' hyphen '], random));
  const [before, after] = pick([['write to ', ' about it'], ['my e-mail address is ', '.'], ['', ' is mine'], ['cc ', ', please'], ['it goes to <', '>']], random);
  return { policy: 'email', text: before.endsWith('<') ? address : pick([address, address.toUpperCase(), spoken], random), before, after };
}
/** Sentences for each set: the rules were tuned on the first. */
const NO_EMAILS = [['we met at the dot com boom', 'look at example dot com', 'it is at noon dot', 'he said at least five dot points', 'the handle is @sam', 'she works at google dot com now'], ['they ordered it at example dot com', 'I always shop at example dot org', 'he pointed at the dot net framework', 'meet us at booth five dot two', 'the shop at example dot com is closed', 'it costs five dot two at most']];
const notEmail = (random, set) => ({ text: pick(NO_EMAILS[set], random) });

const KINDS = [dashedCard, cardWithDate, pairedCard, doubledCard, filledCard, letteredIban, spelledIban, wrongIban, order, phone, domesticPhone, barcode, national, national, notNational, email, email, notEmail];
