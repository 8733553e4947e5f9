/** Longer ones are no words: BERT's WordPiece gives them up as a whole. */
const MAX_WORD_CHARACTERS = 100;
const CACHED_WORDS = 20_000;

/** ASCII that Unicode calls a symbol counts as punctuation too. */
const TOKEN = /[\p{P}$+<=>^`|~]|\p{Ideographic}|[^\s\p{P}\p{Ideographic}$+<=>^`|~]+/gu;
const DROPPED = /[\uFFFD\p{Cf}\p{Co}\p{Cn}]|(?![\t\n\r])\p{Cc}/gu;
const MARKS = /\p{Mn}/gu;

/** A word of a text: the rows of its pieces; none when the vocabulary cannot spell it. */
export interface PiecedWord {
  word: string;
  pieces: readonly number[];
}

/**
 * The uncased tokenizer of BERT: no accents, no case, punctuation and ideographs apart, then the longest pieces that the
 * vocabulary has (Wu et al. 2016, section 4.1; `BasicTokenizer` and `WordpieceTokenizer` of google-research/bert).
 */
export class WordPieces {
  private readonly rows: ReadonlyMap<string, number>;
  private readonly known = new Map<string, readonly number[]>();

  /** @param vocabulary a piece a row; those that go on a word begin with `##` */
  constructor(vocabulary: readonly string[]) {
    this.rows = new Map(vocabulary.map((piece, row) => [piece, row]));
  }

  split(text: string): PiecedWord[] {
    const plain = text.replace(DROPPED, '').normalize('NFD').replace(MARKS, '').toLowerCase();
    return Array.from(plain.matchAll(TOKEN), ([word]) => ({ word, pieces: this.piecesOf(word) }));
  }

  private piecesOf(word: string): readonly number[] {
    const cached = this.known.get(word);
    if (cached) return cached;
    const pieces = this.longestPieces(word);
    if (this.known.size >= CACHED_WORDS) this.known.clear();
    this.known.set(word, pieces);
    return pieces;
  }

  private longestPieces(word: string): number[] {
    const characters = [...word];
    if (characters.length > MAX_WORD_CHARACTERS) return [];
    const pieces: number[] = [];
    for (let from = 0; from < characters.length; ) {
      const { row, before } = this.longestFrom(characters, from);
      if (row === undefined) return [];
      pieces.push(row);
      from = before;
    }
    return pieces;
  }

  private longestFrom(characters: readonly string[], from: number): { row: number | undefined; before: number } {
    const prefix = from === 0 ? '' : '##';
    for (let before = characters.length; before > from; before -= 1) {
      const row = this.rows.get(prefix + characters.slice(from, before).join(''));
      if (row !== undefined) return { row, before };
    }
    return { row: undefined, before: from };
  }
}
