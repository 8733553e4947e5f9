/**
 * The Latin code table of EBU STL: ISO/IEC 6937. ASCII keeps its bytes; a letter with a mark is two bytes, first the mark.
 * The dollar is 0x24, as in the editions since 1994 and in what readers do.
 */
const SINGLE = new Map<string, number>(
  [
    [0xa1, '¡¢£'],
    [0xa5, '¥'],
    [0xa7, '§¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿'],
    [0xd0, '―¹®©™♪¬¦'],
    [0xdc, '⅛⅜⅝⅞ΩÆĐªĦ'],
    // The Icelandic capital eth and the D with a stroke share a code.
    [0xe2, 'Ð'],
    [0xe6, 'ĲĿŁØŒºÞŦŊŉĸæđðħıĳŀłøœßþŧŋ'],
  ].flatMap(([first, characters]) => [...String(characters)].map((character, index): [string, number] => [character, Number(first) + index])),
);

/** By combining mark: its byte, and the letters that may have it. */
const MARKS = new Map<string, { byte: number; letters: string }>([
  ['\u0300', { byte: 0xc1, letters: 'AEIOUaeiou' }],
  ['\u0301', { byte: 0xc2, letters: 'ACEILNORSUYZaceilnorsuyz' }],
  ['\u0302', { byte: 0xc3, letters: 'ACEGHIJOSUWYaceghijosuwy' }],
  ['\u0303', { byte: 0xc4, letters: 'AINOUainou' }],
  ['\u0304', { byte: 0xc5, letters: 'AEIOUaeiou' }],
  ['\u0306', { byte: 0xc6, letters: 'AGUagu' }],
  ['\u0307', { byte: 0xc7, letters: 'CEGIZcegz' }],
  ['\u0308', { byte: 0xc8, letters: 'AEIOUYaeiouy' }],
  ['\u030a', { byte: 0xca, letters: 'AUau' }],
  ['\u0327', { byte: 0xcb, letters: 'CGKLNRSTcgklnrst' }],
  ['\u030b', { byte: 0xcd, letters: 'OUou' }],
  ['\u0328', { byte: 0xce, letters: 'AEIUaeiu' }],
  ['\u030c', { byte: 0xcf, letters: 'CDELNRSTZcdelnrstz' }],
]);

/** Substitutes for characters that the table does not have, by which a reader knows them. */
const LIKENESSES: Readonly<Record<string, string>> = {
  '…': '...', '–': '-', '—': '―', '‐': '-', '‑': '-', '−': '-', '„': '“', '‚': '‘', '‹': '‘', '›': '’', '•': '·', '€': 'EUR', 'ẞ': 'SS', 'Ș': 'Ş', 'ș': 'ş', 'Ț': 'Ţ', 'ț': 'ţ', '\u00a0': ' ', '\u202f': ' ',
}; // prettier-ignore

const UNKNOWN = '?';

/** A text that the table can carry. */
interface CarriedText {
  text: string;
  /** Characters of the original that are written as others or left out. */
  replaced: number;
}

/** Replaces what the table cannot carry: by a likeness, by the letter without its mark, or by a question mark. */
export function toIso6937Repertoire(original: string): CarriedText {
  let [text, replaced] = ['', 0];
  for (const character of original.normalize('NFC')) {
    if (bytesOf(character)) text += character;
    else {
      text += standIn(character);
      replaced++;
    }
  }
  return { text, replaced };
}

/** The bytes of a text of `toIso6937Repertoire`. */
export const toIso6937 = (text: string): Uint8Array => Uint8Array.from([...text].flatMap((character) => bytesOf(character) ?? []));

function bytesOf(character: string): number[] | undefined {
  if (/^[\x20-\x7e]$/.test(character)) return [character.charCodeAt(0)];
  const single = SINGLE.get(character);
  if (single !== undefined) return [single];
  const [letter, mark, ...others] = character.normalize('NFD');
  const found = mark === undefined || others.length > 0 ? undefined : MARKS.get(mark);
  return letter !== undefined && found?.letters.includes(letter) ? [found.byte, letter.charCodeAt(0)] : undefined;
}

function standIn(character: string): string {
  if (/^\p{M}$|^\p{Cf}$/u.test(character)) return '';
  const [base = ''] = character.normalize('NFKD');
  return LIKENESSES[character] ?? (bytesOf(base) ? base : UNKNOWN);
}
