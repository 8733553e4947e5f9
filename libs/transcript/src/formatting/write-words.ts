import { primaryLanguage } from '@parlance/languages';
import type { RecognitionOptions, WordFilters } from '../chunk-plan.js';
import { withoutFillers, withoutProfanity } from '../filters/filter-words.js';
import type { MergedWord } from '../merge/merge-chunks.js';
import { writeNumerals } from '../numerals/write-numerals.js';
import { replaceWords } from '../spelling/replace-words.js';
import type { Formatting } from '../transcript.js';
import { formatEnglish } from './format-english.js';

/** A job's options about the writing of words. */
type WritingOptions = Pick<RecognitionOptions, 'replace' | 'format' | 'numerals' | 'filters'>;

/** The engine that wrote the words. */
interface Writer {
  /** True when its text has punctuation and capitals. */
  formatsText: boolean;
  /** BCP 47: the language of words whose language was not detected. */
  language: string | undefined;
  /** True when a model of punctuation wrote that of its words. */
  isPunctuated?: boolean;
}

const NO_FILTERS: WordFilters = { maskProfanity: false, removeProfanity: false, profanityWords: [], removeFillers: false, fillerWords: [] };

/**
 * The words of a transcript in order, written as the job asks. Fillers go after the sentences are found, since they stand in pauses.
 * Spellings come behind capitals and figures, so that they stand as the caller gave them; only profanity is taken out of them.
 */
export async function* writeWords<W extends MergedWord>(words: AsyncIterable<W>, options: WritingOptions, writer: Writer): AsyncGenerator<W> {
  const isEnglish = ({ language = writer.language }: MergedWord) => language !== undefined && primaryLanguage(language) === 'en';
  const formatted = options.format && !writer.formatsText ? formatEnglish(words, (word) => !word.isPunctuated && isEnglish(word)) : words;
  const { filters = NO_FILTERS, replace = [] } = options;
  const unfilled = withoutFillers(formatted, filters, isEnglish);
  const inFigures = options.numerals ? writeNumerals(unfilled, isEnglish) : unfilled;
  yield* withoutProfanity(replaceWords(inFigures, replace), filters, isEnglish);
}

/** @param language of the transcript, BCP 47 */
export function formattingOf({ format }: WritingOptions, { formatsText, language, isPunctuated }: Writer): Formatting {
  if (formatsText) return 'engine';
  if (isPunctuated) return 'model';
  return format && language !== undefined && primaryLanguage(language) === 'en' ? 'rules' : 'none';
}
