/** What a model begins its answer with when the lines do not tell. */
export const NOTHING_SAID = 'NOT_IN_TRANSCRIPT';

const MARKS = /\s*\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]/g;
/** A mark that has only begun. */
const BEGUN = /\s*(?:\[[\d\s,;]*)?$/;
/** Whether a sentence has ended, and the rest of one that has not: up to its end, or all where it has none. */
const IS_ENDED = /[.!?…。！？؟۔।]["'”’»)]*\s*$/u;
const TO_SENTENCE_END = /^[^\n]*?(?:(?:[.!?…؟۔](?=["'”’»)]*(?:\s|$))|[。！？।])["'”’»)]*|$)/mu;

/**
 * An answer with the numbers of lines in square brackets behind what they bear out, as it comes piece by piece. Text is given on
 * only up to the last mark of a line that exists: what nothing bears out is not shown.
 */
export class CitedText {
  /** Numbers, in order of mention. */
  readonly cited = new Set<number>();
  private held = '';
  /** The end of what was shown. */
  private last = '';
  private isFirst = true;
  private hasSaidNothing = false;
  private hasBegun = false;

  /** @param count of lines, which are numbered from 1 */
  constructor(private readonly count: number) {}

  /** Whether the model says that the lines do not tell. */
  get isNothing(): boolean {
    return this.hasSaidNothing;
  }

  /** @returns what may be shown now */
  push(text: string): string {
    this.held += text;
    if (this.isFirst && !this.begins()) return '';
    if (this.hasSaidNothing) return this.take(this.held.length - (BEGUN.exec(this.held)?.[0].length ?? 0));
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
    const shown = taken.replace(MARKS, (...mark) => {
      for (const number of this.numbersOf(mark as unknown as RegExpExecArray)) this.cited.add(number);
      return '';
    });
    this.last = (this.last + shown).slice(-20);
    if (!this.hasSaidNothing || this.hasBegun) return shown;
    // What stands between the sign and the sentence.
    const sentence = shown.replace(/^[\s.:–-]+/, '');
    this.hasBegun = sentence !== '';
    return sentence;
  }

  private numbersOf([, numbers = '']: RegExpExecArray): number[] {
    return numbers.split(/[,;]/).map(Number).filter((number) => number >= 1 && number <= this.count);
  }
}
