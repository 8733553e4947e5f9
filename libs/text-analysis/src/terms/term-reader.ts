import { primaryLanguage } from '@parlance/languages';
import { vaguenessOf, type Vagueness } from './naming-words.js';
import { stopWordsOf } from './stop-words.js';

/** A word that says something of the matter. */
export interface Term {
  /** What its inflections have in common, where the language's stemmer is known; what is compared. */
  stem: string;
  /** As it was spoken, in lower case. */
  word: string;
  /** Its place among all words of the line; neighbours differ by one. */
  position: number;
  /** Of a word that counts when lines are compared or found, but does not say what a talk is about. */
  vague?: Vagueness;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const NUMBER = /^\p{N}+$/u;

/** Reads the words of a language that matter. */
export class TermReader {
  private readonly stems = new Map<string, string>();
  private segmenter: Intl.Segmenter | undefined;

  private constructor(
    private readonly language: string,
    private readonly stopWords: ReadonlySet<string>,
    private readonly vagueness: (word: string) => Vagueness | undefined,
    private readonly stem: (word: string) => string,
  ) {}

  /** @param language BCP 47; of English the stems are compared (Porter's stemmer), of others the words as they are */
  static async of(language: string): Promise<TermReader> {
    const isEnglish = primaryLanguage(language) === 'en';
    const stem = isEnglish ? (await import('stemmer')).stemmer : (word: string) => word;
    return new TermReader(language, await stopWordsOf(language), vaguenessOf(language), stem);
  }

  terms(text: string): Term[] {
    const terms: Term[] = [];
    for (const [position, word] of this.words(text).entries()) {
      if (this.isEmpty(word)) continue;
      const vague = this.vagueness(word);
      terms.push({ stem: this.stemOf(word), word, position, ...(vague && { vague }) });
    }
    return terms;
  }

  private words(text: string): string[] {
    const lower = text.toLowerCase().replaceAll('’', "'");
    if (!SPACELESS.test(lower)) return lower.match(WORD) ?? [];
    this.segmenter ??= new Intl.Segmenter(segmentable(this.language), { granularity: 'word' });
    return [...this.segmenter.segment(lower)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  }

  private isEmpty(word: string): boolean {
    return this.stopWords.has(word) || this.stopWords.has(word.replaceAll("'", '')) || (word.length < 3 && !SPACELESS.test(word)) || NUMBER.test(word);
  }

  private stemOf(word: string): string {
    let stem = this.stems.get(word);
    if (stem === undefined) this.stems.set(word, (stem = this.stem(word.replace(/'s$/, ''))));
    return stem;
  }
}

function segmentable(language: string): string {
  try {
    return Intl.Segmenter.supportedLocalesOf(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
