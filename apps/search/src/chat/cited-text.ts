/** The sign with which a model begins its answer when the lines do not contain one. */
export const NOTHING_SAID = 'NOT_IN_TRANSCRIPT';

const MARKS = /\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]/g;
const BEGUN = /^\[[\d\s,;]*$/;
/** Matches a text whose last sentence has ended. */
const IS_ENDED = /[.!?…。！？؟۔।]["'”’»)]*\s*$/u;
/** Matches the rest of an unfinished sentence: up to its end, or all when it has none. */
const TO_SENTENCE_END = /^[^\n]*?(?:(?:[.!?…؟۔](?=["'”’»)]*(?:\s|$))|[。！？।])["'”’»)]*|$)/mu;

/** Matches the end of a sentence or a line, with the space behind it. */
const ENDS = /(?:[.!?…؟۔]["'”’»)]*(?=\s)|[。！？।]["'”’»)]*|\n)\s*/gu;
/** A full stop after the number of a list item ends no sentence. */
const NUMBERS_A_LINE = /^[ \t]*\d{1,3}$/;
const ABBREVIATES = /^(?:\p{Lu}|\p{L}\.\s?\p{L}|Mrs?|Ms|Drs?|Prof|St|Sra?|Mme|No|Nr|Abs|vs|ca|approx)$/u;
const MAX_ABBREVIATION_LENGTH = 6;
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/**
 * An answer that comes piece by piece, with marks: the numbers of the lines that support a sentence, in square brackets behind it.
 * Text is passed on only up to the last mark of a line that exists, and only sentences with such a mark: unsupported text is not shown.
 */
export class CitedText {
  /** Numbers of lines, in order of mention. */
  readonly cited = new Set<number>();
  private held = '';
  /** The last characters that were shown. */
  private last = '';
  private isFirst = true;
  private hasSaidNothing = false;
  private hasBegun = false;

  /** @param count of lines, which are numbered from 1 */
  constructor(private readonly count: number) {}

  /** True when the model says that the lines do not contain an answer. */
  get isNothing(): boolean {
    return this.hasSaidNothing;
  }

  /** @returns what may be shown now */
  push(text: string): string {
    this.held += text;
    if (this.isFirst && !this.begins()) return '';
    if (this.hasSaidNothing) return this.take(this.held.length - begunLength(this.held));
    let end = 0;
    for (const mark of this.held.matchAll(MARKS)) if (this.numbersOf(mark).length > 0) end = mark.index + mark[0].length;
    return this.take(end);
  }

  /** @returns the rest of the sentence whose mark came last; further ones name no line */
  end(): string {
    if (this.isFirst) this.begins(true);
    if (this.hasSaidNothing) return this.take(this.held.length).trimEnd();
    if (this.cited.size === 0) return '';
    const rest = /^[^\p{L}\p{N}]*$/u.test(this.held) ? this.held : IS_ENDED.test(this.last) ? '' : (TO_SENTENCE_END.exec(this.held)?.[0] ?? '');
    return this.take(rest.length).trimEnd();
  }

  /** @returns whether it is known how the answer begins */
  private begins(isEnd = false): boolean {
    const start = this.held.trimStart();
    if (!isEnd && (start === '' || (start.length < NOTHING_SAID.length && NOTHING_SAID.startsWith(start)))) return false;
    this.isFirst = false;
    this.hasSaidNothing = start.startsWith(NOTHING_SAID);
    this.held = this.hasSaidNothing ? start.slice(NOTHING_SAID.length) : start;
    return true;
  }

  private take(length: number): string {
    const taken = this.held.slice(0, length);
    this.held = this.held.slice(length);
    let shown = '';
    let segment = '';
    let done = 0;
    for (const mark of taken.matchAll(MARKS)) {
      segment += taken.slice(done, mark.index).trimEnd();
      done = mark.index + mark[0].length;
      const numbers = this.numbersOf(mark);
      if (numbers.length === 0) continue;
      shown += this.show(this.hasSaidNothing ? segment : this.supported(segment));
      segment = '';
      for (const number of numbers) this.cited.add(number);
    }
    shown += this.show(segment + taken.slice(done));
    if (!this.hasSaidNothing || this.hasBegun) return shown;
    // Removes punctuation between the sign and the sentence.
    const sentence = shown.replace(/^[\s.:–-]+/, '');
    this.hasBegun = sentence !== '';
    return sentence;
  }

  private show(text: string): string {
    this.last = (this.last + text).slice(-20);
    return text;
  }

  /** @returns the supported part of the text between two marks: the rest of the first mark's sentence, and the sentence of the second mark */
  private supported(segment: string): string {
    const sentences = sentencesOf(segment);
    const marked = sentences.findLastIndex((sentence) => SAYS_SOMETHING.test(sentence));
    if (marked < 1) return segment;
    const continuesSentence = this.cited.size > 0 && !IS_ENDED.test(this.last);
    const before = continuesSentence ? sentences[0] : /^\s*/.exec(segment)?.[0];
    return [before, ...sentences.slice(marked)].join('');
  }

  private numbersOf([, numbers = '']: RegExpExecArray): number[] {
    return numbers.split(/[,;]/).map(Number).filter((number) => number >= 1 && number <= this.count);
  }
}

/** True when a full stop behind the text ends no sentence. */
function isInsideSentence(text: string): boolean {
  if (NUMBERS_A_LINE.test(text.slice(text.lastIndexOf('\n') + 1))) return true;
  for (let length = 1; length <= MAX_ABBREVIATION_LENGTH && length <= text.length; length++) {
    if (!/[\p{L}\p{N}]/u.test(text.at(-length - 1) ?? '') && ABBREVIATES.test(text.slice(-length))) return true;
  }
  return false;
}

/** UTF-16 units at the end of the text that a mark may have begun with, and the space before it. */
function begunLength(text: string): number {
  const open = text.lastIndexOf('[');
  const before = open !== -1 && BEGUN.test(text.slice(open)) ? text.slice(0, open) : text;
  return text.length - before.trimEnd().length;
}

/** @returns the sentences, each with the space behind it */
function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let begin = 0;
  for (const end of text.matchAll(ENDS)) {
    if (end[0].startsWith('.') && isInsideSentence(text.slice(begin, end.index))) continue;
    sentences.push(text.slice(begin, end.index + end[0].length));
    begin = end.index + end[0].length;
  }
  return [...sentences, text.slice(begin)];
}
