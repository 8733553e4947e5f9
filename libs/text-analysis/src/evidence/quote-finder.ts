import { separator } from '@parlance/transcript';
import type { Phrase } from '../phrases/short-lines.js';
import type { SpokenLine } from '../spoken-line.js';

/** Words of the transcript and where they are. */
export interface Evidence {
  /** The segment in which the quote begins. */
  segmentId: string;
  /** Seconds: from the start of the quote's first segment to the end of its last. */
  start: number;
  end: number;
  /** Verbatim but for white space. */
  quote: string;
}

/** A whole page of talk is no evidence of anything in particular. */
const MAX_QUOTE_LENGTH = 1000;
/** Shorter ones are found everywhere, so that they count only as everything that was said in a segment. */
const MIN_QUOTE_LETTERS = 8;

const LETTER = /[\p{L}\p{N}]/u;
/** Matches within words of scripts with spaces between words: there, a quote must not begin or end within a word. */
const WITHIN_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Hangul}\p{N}]{2}$/u;

const normalized = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ');

/** Finds quotes in a transcript, so that a claim about it can be verified. */
export class QuoteFinder {
  private readonly lines: readonly SpokenLine[];
  /** The transcript as one line, and where in it each segment begins. */
  private readonly text: string;
  private readonly offsets: number[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(lines: readonly SpokenLine[]) {
    this.lines = lines;
    let text = '';
    let previous: string | undefined;
    for (const [number, { segmentId, text: spoken }] of lines.entries()) {
      const line = normalized(spoken);
      text += previous === undefined ? '' : separator(lastWord(previous), firstWord(line));
      this.offsets.push(text.length);
      this.numbers.set(segmentId, number);
      text += line;
      previous = line;
    }
    this.text = text;
  }

  /**
   * Returns the quote's place: in the given segment, or else where it occurs first; it may span several segments. Only white
   * space may differ.
   * @returns undefined when the transcript does not contain it, or the quote is too short to decide
   */
  find(quote: string, segmentId?: string): Evidence | undefined {
    const wanted = normalized(quote);
    if (wanted === '' || wanted.length > MAX_QUOTE_LENGTH) return undefined;
    const hinted = segmentId === undefined ? undefined : this.numbers.get(segmentId);
    const at = (hinted === undefined ? undefined : this.search(wanted, hinted)) ?? this.search(wanted);
    if (at === undefined) return undefined;
    const [first, last] = [this.lineAt(at), this.lineAt(at + wanted.length - 1)];
    const isWhole = first === last && normalized(first.text) === wanted;
    if (!isWhole && lettersOf(wanted) < MIN_QUOTE_LETTERS) return undefined;
    return { segmentId: first.segmentId, start: first.start, end: last.end, quote: wanted };
  }

  /** A segment, or a phrase of one, as evidence of itself. */
  static whole(line: SpokenLine | Phrase): Evidence {
    const { segmentId, text } = line;
    const { start, end } = 'segment' in line ? line.segment : line;
    return { segmentId, start, end, quote: normalized(text) };
  }

  private search(wanted: string, hinted?: number): number | undefined {
    const from = hinted === undefined ? 0 : (this.offsets[hinted] ?? 0);
    const end = hinted === undefined ? this.text.length : (this.offsets[hinted + 1] ?? this.text.length);
    for (let at = this.text.indexOf(wanted, from); at !== -1 && at < end; at = this.text.indexOf(wanted, at + 1)) {
      if (this.isAtWords(at, at + wanted.length)) return at;
    }
    return undefined;
  }

  private isAtWords(start: number, end: number): boolean {
    const cuts = (at: number) => at > 0 && at < this.text.length && WITHIN_WORD.test(this.text.slice(at - 1, at + 1));
    return !cuts(start) && !cuts(end);
  }

  private lineAt(position: number): SpokenLine {
    let [low, high] = [0, this.offsets.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.offsets[middle] ?? Infinity) <= position) low = middle;
      else high = middle - 1;
    }
    const line = this.lines[low];
    if (!line) throw new RangeError('There is no segment at this position.');
    return line;
  }
}

const lettersOf = (text: string): number => [...text].filter((character) => LETTER.test(character)).length;
const firstWord = (line: string): string => line.slice(0, 64).split(' ')[0] ?? '';
const lastWord = (line: string): string => line.slice(-64).split(' ').at(-1) ?? '';
