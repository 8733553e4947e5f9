import { numbersIn } from '@parlance/transcript';

interface Piece {
  from: number;
  to: number;
  /** Its place in the source. */
  sourceFrom: number;
  sourceTo: number;
}

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
    const pieces: Piece[] = [];
    let text = '';
    let copied = 0;
    for (const { first, count, text: figures } of numbersIn(words.map(([word]) => word))) {
      const [begin, end] = [words[first]?.index ?? 0, endOf(words[first + count - 1])];
      text += source.slice(copied, begin);
      pieces.push({ from: text.length, to: text.length + figures.length, sourceFrom: begin, sourceTo: end });
      text += figures;
      copied = end;
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
