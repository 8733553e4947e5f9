import { numbersIn, readBelowHundred } from '@parlance/transcript';

interface Piece {
  from: number;
  to: number;
  /** Its place in the source. */
  sourceFrom: number;
  sourceTo: number;
}

const ZERO = new Set(['oh', 'o', 'nought', 'naught']);
/** Words that a recogniser writes in a row of digits for those that sound like them. */
const SOUNDS_LIKE: ReadonlyMap<string, string> = new Map([['to', '2'], ['too', '2'], ['for', '4'], ['ate', '8'], ['won', '1']]);
const TIMES = new Map([['double', 2], ['triple', 3], ['treble', 3], ['quadruple', 4]]);

/** An English text with its numbers in figures, and the places of its parts in the text as it was spoken. */
export class FiguresText {
  private constructor(
    private readonly spoken: string,
    readonly text: string,
    private readonly pieces: readonly Piece[],
  ) {}

  /** A text as it is. */
  static same(text: string): FiguresText {
    return new FiguresText(text, text, []);
  }

  /** A text with `twenty three` as `23`, by the rules for the numerals of a transcript. */
  static of(source: string): FiguresText {
    const words = [...source.matchAll(/\S+/gu)];
    const numbers = numbersIn(words.map(([word]) => word));
    return FiguresText.with(source, numbers.map(({ first, count, text }) => ({ from: words[first]?.index ?? 0, to: endOf(words[first + count - 1]), text })));
  }

  /** A text with its numbers as they are dictated: `four one double five` as `4 1 55`, `forty-one eleven` as `41 11`, `four five to six` as `4 5 2 6`. */
  static dictated(source: string): FiguresText {
    const words = [...source.matchAll(/\p{L}+|\d+|[^\p{L}\d -]+/gu)];
    const texts = words.map(([word]) => word.toLowerCase());
    const figures: { from: number; to: number; text: string }[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const read = readDictated(texts, at);
      const [first, last] = [words[at], words[at + (read?.length ?? 0) - 1]];
      if (!read || !first || !last) continue;
      figures.push({ from: first.index, to: endOf(last), text: read.text });
      at += read.length - 1;
    }
    return FiguresText.with(source, figures);
  }

  private static with(source: string, figures: readonly { from: number; to: number; text: string }[]): FiguresText {
    const pieces: Piece[] = [];
    let text = '';
    let copied = 0;
    for (const { from, to, text: written } of figures) {
      text += source.slice(copied, from);
      pieces.push({ from: text.length, to: text.length + written.length, sourceFrom: from, sourceTo: to });
      text += written;
      copied = to;
    }
    return new FiguresText(source, text + source.slice(copied), pieces);
  }

  /** The place in the source; figures stand for all of their words, without the punctuation behind them unless it is part of the place. */
  source({ from, to }: { from: number; to: number }): { from: number; to: number } {
    const [first, last] = [this.pieces.find((piece) => piece.from <= from && from < piece.to), this.pieces.find((piece) => piece.from < to && to <= piece.to)];
    return { from: first ? first.sourceFrom : this.sourceAt(from), to: last ? last.sourceTo - this.closingLength(last, to) : this.sourceAt(to) };
  }

  private closingLength(piece: Piece, to: number): number {
    const closing = this.text.slice(to, piece.to);
    return /^\p{P}*$/u.test(closing) && this.spoken.slice(0, piece.sourceTo).endsWith(closing) ? closing.length : 0;
  }

  private sourceAt(position: number): number {
    const before = this.pieces.findLast(({ to }) => to <= position);
    return before ? position - before.to + before.sourceTo : position;
  }
}

const endOf = (word: RegExpExecArray | undefined): number => (word ? word.index + word[0].length : 0);

/** @param words in small letters; punctuation is one of them */
function readDictated(words: readonly string[], at: number): { text: string; length: number } | undefined {
  const [last = '', before = '', word = '', next = ''] = [words[at - 2], words[at - 1], words[at], words[at + 1]];
  const times = TIMES.get(word);
  const repeated = times === undefined ? undefined : (digitOf(next) ?? (digitOf(before) === undefined ? undefined : SOUNDS_LIKE.get(next)));
  if (times !== undefined) return repeated === undefined ? undefined : { text: repeated.repeat(times), length: 2 };
  if (ZERO.has(word)) return word === 'o' && digitOf(before) === undefined ? undefined : { text: '0', length: 1 };
  const heard = SOUNDS_LIKE.get(word);
  if (heard !== undefined) return isDigit(last) && isDigit(before) && isDigit(next) ? { text: heard, length: 1 } : undefined;
  const read = readBelowHundred([word, next], 0);
  return read && { text: String(read.value), length: read.length };
}

const isDigit = (word: string): boolean => digitOf(word) !== undefined || SOUNDS_LIKE.has(word) || TIMES.has(word);

function digitOf(word: string): string | undefined {
  if (ZERO.has(word)) return '0';
  const read = /^\d$/u.test(word) ? { value: Number(word) } : readBelowHundred([word], 0);
  return read && read.value < 10 ? String(read.value) : undefined;
}
