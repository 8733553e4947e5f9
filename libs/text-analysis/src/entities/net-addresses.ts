import { closingLength, type EntityRecognizer, type TextEntity } from './entity.js';
import { mailboxBegin, SIGNS } from './spoken-mailboxes.js';
import { wordsIn, type TextWord } from './text-words.js';

/** Domains by which an address is known without a scheme or `www`; those that are words of a sentence, such as `is` and `it`, are left out. */
const TOP_LEVEL = 'com org net edu gov mil info biz io ai app dev shop cloud tech online uk de fr es nl eu ca au ch se dk fi pl cz pt ie jp cn br mx ru ua nz kr co'.split(' ');

const HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,24}$/iu;
const MAILBOX = /^[a-z0-9_%+-]+(?:\.[a-z0-9_%+-]+)*$/iu;
/** Words before a `dot` that are no host. */
const NO_HOST = new Set(['the', 'a', 'an', 'this', 'that']);

const HOST_SIGNS = new Set(['dot', 'dash', 'hyphen']);

/** E-mail addresses, also as they are spoken (`john dot smith at example dot com`, `john.smith at example.com`), normalised to small letters. */
export const findEmails: EntityRecognizer = (text) => [
  ...addressesIn(text, (address) => {
    const [mailbox = '', host = '', ...more] = address.split('@');
    return more.length === 0 && MAILBOX.test(mailbox) && HOST.test(host) ? { type: 'email', normalized: address.toLowerCase() } : undefined;
  }),
  ...[...spokenHosts(text), ...writtenHosts(text)].flatMap(spokenEmail),
];

/** Addresses of the web, also as they are spoken, normalised as they are typed, the host in small letters. */
export const findUrls: EntityRecognizer = (text) => [
  ...addressesIn(text, (address) => {
    const [scheme = ''] = /^https?:\/\//iu.exec(address) ?? [];
    const rest = address.slice(scheme.length);
    const end = rest.search(/[/?#]/u);
    const [host, path] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)];
    const isUrl = HOST.test(host.replace(/:\d+$/u, '')) && (scheme !== '' || /^www\./iu.test(host) || TOP_LEVEL.includes(host.slice(host.lastIndexOf('.') + 1).toLowerCase()));
    return isUrl ? { type: 'url', normalized: scheme.toLowerCase() + host.toLowerCase() + path } : undefined;
  }),
  ...spokenHosts(text).map(({ words, first, last }) => spokenUrl(words, first, last)),
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

interface SpokenHost {
  words: readonly TextWord[];
  /** The indexes of its first and its last word. */
  first: number;
  last: number;
}

/** The places of `example dot com`, each as long as it can be. */
function spokenHosts(text: string): SpokenHost[] {
  const words = wordsIn(text);
  const hosts: SpokenHost[] = [];
  for (let at = 1; at < words.length - 1; at += 1) {
    if (!isDomain(words, at)) continue;
    const first = hostBegin(words, at - 1);
    let last = at + 1;
    while (!words[last]?.isClosed && isDomain(words, last + 1)) last += 2;
    if (first !== undefined && !NO_HOST.has(words[first]?.bare.toLowerCase() ?? '')) hosts.push({ words, first, last });
    at = last;
  }
  return hosts;
}

/** The hosts that are written as they are typed behind a spoken `at`. */
function writtenHosts(text: string): SpokenHost[] {
  const words = wordsIn(text);
  return words.flatMap(({ bare }, at) => (HOST.test(bare) && TOP_LEVEL.includes(bare.slice(bare.lastIndexOf('.') + 1).toLowerCase()) ? [{ words, first: at, last: at }] : []));
}

/** True when the word is `dot` and the next one a domain of the highest level. */
const isDomain = (words: readonly TextWord[], at: number): boolean => isWord(words[at], 'dot') && TOP_LEVEL.includes(words[at + 1]?.bare.toLowerCase() ?? '');
const isWord = (word: TextWord | undefined, name: string): boolean => word !== undefined && !word.isClosed && word.bare.toLowerCase() === name;
const isLabel = (word: TextWord | undefined): boolean => word !== undefined && !word.isClosed && /^[a-z0-9]+$/iu.test(word.bare);

/** The first word of labels with signs of a host between them that end at a place; undefined when there is no label. */
function hostBegin(words: readonly TextWord[], last: number): number | undefined {
  if (!isLabel(words[last])) return undefined;
  let first = last;
  while (HOST_SIGNS.has(words[first - 1]?.bare.toLowerCase() ?? '') && isLabel(words[first - 1]) && isLabel(words[first - 2])) first -= 2;
  return first;
}

function spokenEmail({ words, first, last }: SpokenHost): TextEntity[] {
  const at = isWord(words[first - 1], 'sign') ? first - 2 : first - 1;
  const begin = isWord(words[at], 'at') ? mailboxBegin({ words, last: at - 1, next: last + 1 }) : undefined;
  if (begin === undefined) return [];
  return [{ type: 'email', from: words[begin]?.from ?? 0, to: words[last]?.to ?? 0, normalized: `${written(words.slice(begin, at))}@${written(words.slice(first, last + 1))}` }];
}

function spokenUrl(words: readonly TextWord[], first: number, last: number): TextEntity {
  let end = last;
  while (!words[end]?.isClosed && isWord(words[end + 1], 'slash') && words[end + 2]) end += 2;
  return { type: 'url', from: words[first]?.from ?? 0, to: words[end]?.to ?? 0, normalized: written(words.slice(first, end + 1)) };
}

const written = (words: readonly TextWord[]): string => words.map(({ bare }) => bare.toLowerCase()).map((word) => SIGNS[word] ?? (word === 'slash' ? '/' : word)).join('');
