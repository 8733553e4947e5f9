import type { UploadOptions } from '../transcriptions/job-options-schema.js';
import type { Vocabulary } from './vocabulary.js';

/** The options of a job with a copy of a saved vocabulary: its terms behind those of the job, its spellings behind the job's own rules. */
export function withVocabulary(options: UploadOptions, { phrases }: Pick<Vocabulary, 'phrases'>): UploadOptions {
  const terms = new Set([...options.vocabulary, ...phrases.map(({ phrase }) => phrase)]);
  const rules = phrases.flatMap(({ phrase, soundsLike }) => soundsLike.map((from) => ({ from, to: phrase })));
  return { ...options, vocabulary: [...terms], replace: [...options.replace, ...rules] };
}
