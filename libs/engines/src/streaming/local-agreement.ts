/**
 * LocalAgreement-2 (Macháček, Dabre, Bojar 2023, arXiv 2307.14743): words that two successive recognitions of a growing utterance
 * agree on, from its start, count as stable. What was stable once stays so: a later recognition that disagrees does not change it.
 */
export class LocalAgreement {
  private stable: string[] = [];
  private previous: string[] = [];

  /** @returns the words to show, and how many of them, from the first, will not change any more */
  accept(words: readonly string[]): { words: string[]; stable: number } {
    const agreed = commonPrefix(this.previous, words);
    if (agreed > this.stable.length) this.stable = [...this.stable, ...words.slice(this.stable.length, agreed)];
    this.previous = [...words];
    return { words: [...this.stable, ...words.slice(this.stable.length)], stable: this.stable.length };
  }
}

/** Case and punctuation may still change while words agree. */
const spoken = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function commonPrefix(left: readonly string[], right: readonly string[]): number {
  let length = 0;
  for (const [at, word] of left.entries()) {
    if (right[at] === undefined || spoken(right[at]) !== spoken(word)) break;
    length = at + 1;
  }
  return length;
}
