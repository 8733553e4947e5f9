import { randomFrom } from '../random.mjs';

const DIGIT_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
/** First digits of cards, and how many a number has. */
const CARDS = [['4', 16], ['51', 16], ['34', 15], ['6011', 16]];
/** Countries of accounts, and the digits of their numbers behind the check digits. */
const COUNTRIES = [['DE', 18], ['ES', 20], ['AT', 16], ['PL', 24]];
const MAILBOXES = ['maria.lopez', 'tom', 'info_desk', 'a.khan', 'wei-zhang', 'support+orders'];
const HOSTS = ['example.com', 'mail.example.org', 'firma.example.de'];
const FRAMES = [['it is ', ' as I said'], ['Please use ', '.'], ['the one that ends here, ', ', thank you'], ['', ''], ['so you can take ', ' or call me again']];

/**
 * Sentences with numbers that have check digits and with e-mail addresses, written and spoken, and as many with numbers whose check
 * digit is wrong. The same ones every time.
 */
export function labelledNumbers(count) {
  const next = randomFrom(20_261_126);
  const random = (bound) => Math.floor(next() * bound);
  return Array.from({ length: count }, (_, index) => {
    const [before, after] = FRAMES[random(FRAMES.length)];
    const { policy, text } = [cardIn, ibanIn, emailIn, wrongCardIn, wrongIbanIn][index % 5](random);
    const said = `${before}${text}${after}`;
    return { text: said, labels: policy ? [{ policy, from: before.length, to: before.length + text.length }] : [] };
  });
}

const cardIn = (random) => ({ policy: 'card_number', text: asSaid(card(random), random) });
const wrongCardIn = (random) => ({ text: asSaid(withOtherEnd(card(random)), random) });
const ibanIn = (random) => ({ policy: 'iban', text: asSaid(iban(random), random) });
const wrongIbanIn = (random) => ({ text: asSaid(withOtherEnd(iban(random)), random) });

function emailIn(random) {
  const address = `${MAILBOXES[random(MAILBOXES.length)]}@${HOSTS[random(HOSTS.length)]}`;
  const isSpoken = random(2) === 0;
  const spoken = address.replace('@', ' at ').replaceAll('.', ' dot ').replaceAll('_', ' underscore ').replaceAll('-', ' dash ').replaceAll('+', ' plus ');
  return { policy: 'email', text: isSpoken ? spoken : address };
}

export function card(random) {
  const [prefix, length] = CARDS[random(CARDS.length)];
  const body = prefix + digits(length - prefix.length - 1, random);
  return body + luhnDigit(body);
}

export function luhnDigit(body) {
  const sum = [...body].toReversed().reduce((total, digit, index) => {
    const value = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

export const iban = (random) => ibanOf(...COUNTRIES[random(COUNTRIES.length)].toSpliced(1, 0, ''), random);

/** @param bank the letters before the digits @param length how many digits there are */
export function ibanOf(country, bank, length, random) {
  const number = bank + digits(length, random);
  const asDigits = [...`${number}${country}00`].map((character) => parseInt(character, 36)).join('');
  return `${country}${String(98n - (BigInt(asDigits) % 97n)).padStart(2, '0')}${number}`;
}

export const digits = (length, random) => Array.from({ length }, () => random(10)).join('');
export const withOtherEnd = (number) => number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10);

/** In one piece, in groups of four, digit by digit in words, or the same with pauses. */
function asSaid(number, random) {
  const groups = number.match(/.{1,4}/gu);
  const words = (text) => [...text].map((character) => DIGIT_WORDS[character] ?? character.toLowerCase()).join(' ');
  return [number, groups.join(' '), words(number), groups.map(words).join(', ')][random(4)];
}
