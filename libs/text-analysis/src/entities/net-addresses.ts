import { anyOf, closingLength, entitiesOf, type EntityRecognizer, type TextEntity } from './entity.js';

/** Domains by which an address is known without a scheme or `www`; those that are words of a sentence, such as `is` and `it`, are left out. */
const TOP_LEVEL = 'com org net edu gov mil info biz io ai app dev shop cloud tech online uk de fr es nl eu ca au ch se dk fi pl cz pt ie jp cn br mx ru ua nz kr co'.split(' ');

const HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,24}$/iu;
const MAILBOX = /^[a-z0-9_%+-]+(?:\.[a-z0-9_%+-]+)*$/iu;
const LABEL = '[a-z0-9]+';
const SPOKEN_NAME = String.raw`${LABEL}(?: (?:dot|underscore|dash|hyphen|plus) ${LABEL}){0,5}`;
const SPOKEN_HOST = String.raw`${LABEL}(?: (?:dot|dash|hyphen) ${LABEL}){0,5} dot (?:${anyOf(TOP_LEVEL)})(?![\p{L}\p{N}])`;
const SPOKEN_EMAIL = new RegExp(String.raw`(?<![\p{L}\p{N}])(${SPOKEN_NAME}) at (${SPOKEN_HOST})`, 'giu');
/** Words before `at example dot com` that are no mailbox. */
const NO_MAILBOX = new Set('look us me it them him her you is are be visit online available website site page find here more everything anything something all out up down and or meet see live log sign start'.split(' '));

const SPOKEN_URL = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:(?:www|w w w|w\. w\. w\.) dot )?${SPOKEN_HOST}(?: slash ${LABEL}){0,6}`, 'giu');

/** E-mail addresses, also as they are spoken (`john dot smith at example dot com`), normalised to small letters. */
export const findEmails: EntityRecognizer = (text) => [
  ...addressesIn(text, (address) => {
    const [mailbox = '', host = '', ...more] = address.split('@');
    return more.length === 0 && MAILBOX.test(mailbox) && HOST.test(host) ? { type: 'email', normalized: address.toLowerCase() } : undefined;
  }),
  ...entitiesOf(SPOKEN_EMAIL, text, ([, name = '', host = '']) => (NO_MAILBOX.has(name.toLowerCase()) ? undefined : { type: 'email', normalized: `${written(name)}@${written(host)}` })),
];

/** Addresses of the web, also as they are spoken, normalised as they are typed, the host in small letters. */
export const findUrls: EntityRecognizer = (text) => [
  ...addressesIn(text, (address) => {
    const [, scheme = '', host = '', path = ''] = /^(https?:\/\/)?([^/?#]+)(.*)$/iu.exec(address) ?? [];
    const isUrl = HOST.test(host.replace(/:\d+$/u, '')) && (scheme !== '' || /^www\./iu.test(host) || TOP_LEVEL.includes(host.slice(host.lastIndexOf('.') + 1).toLowerCase()));
    return isUrl ? { type: 'url', normalized: scheme.toLowerCase() + host.toLowerCase() + path } : undefined;
  }),
  ...entitiesOf(SPOKEN_URL, text, ([spoken]) => ({ type: 'url', normalized: written(spoken) })),
];

/** Entities that are one word, without the punctuation around it: that belongs to the sentence. */
function addressesIn(text: string, read: (address: string) => Omit<TextEntity, 'from' | 'to'> | undefined): TextEntity[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: word, index }) => {
    const opening = /^[([<"'«“]*/u.exec(word)?.[0].length ?? 0;
    const address = word.slice(opening, word.length - closingLength(word.slice(opening), CLOSING));
    const entity = address.includes('.') ? read(address) : undefined;
    return entity ? [{ ...entity, from: index + opening, to: index + opening + address.length }] : [];
  });
}

const CLOSING = /[.,;:!?)\]>"'»”]/u;

const written = (spoken: string): string =>
  spoken
    .toLowerCase()
    .replace(/^(?:w w w|w\. w\. w\.)(?= dot )/u, 'www')
    .replaceAll(' dot ', '.')
    .replaceAll(' underscore ', '_')
    .replaceAll(/ (?:dash|hyphen) /gu, '-')
    .replaceAll(' plus ', '+')
    .replaceAll(' slash ', '/');
