import { primaryLanguage } from '@parlance/languages';
import type { RecognitionOptions } from '../chunk-plan.js';
import type { MergedWord } from '../merge/merge-chunks.js';
import { replaceWords } from '../spelling/replace-words.js';
import type { Formatting } from '../transcript.js';
import { formatEnglish } from './format-english.js';

/** A job's options about the writing of words. */
type WritingOptions = Pick<RecognitionOptions, 'replace' | 'format'>;

/** The engine that wrote the words. */
interface Writer {
  /** True when its text has punctuation and capitals. */
  formatsText: boolean;
  /** BCP 47: the language of words whose language was not detected. */
  language: string | undefined;
}

/** The words of a transcript in order, written as the job asks. Spellings come last, so that they stand as the caller gave them. */
export async function* writeWords<W extends MergedWord>(words: AsyncIterable<W>, options: WritingOptions, writer: Writer): AsyncGenerator<W> {
  const isEnglish = ({ language = writer.language }: MergedWord) => language !== undefined && primaryLanguage(language) === 'en';
  const formatted = options.format && !writer.formatsText ? formatEnglish(words, isEnglish) : words;
  yield* replaceWords(formatted, options.replace ?? []);
}

/** @param language of the transcript, BCP 47 */
export function formattingOf({ format }: WritingOptions, { formatsText, language }: Writer): Formatting {
  if (formatsText) return 'engine';
  return format && language !== undefined && primaryLanguage(language) === 'en' ? 'rules' : 'none';
}
