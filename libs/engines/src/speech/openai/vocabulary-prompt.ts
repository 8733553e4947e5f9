import type { RecognitionWarning } from '../speech-recognizer.js';

/** Whisper reads the last 224 tokens of a prompt; terms cost about one token for three characters. */
const PROMPT_CHARACTERS = 600;

interface VocabularyPrompt {
  prompt: string;
  /** The number of terms for which there was no space. */
  leftOut: number;
}

/** The terms, first ones first, as the comma-separated glossary that OpenAI's guide advises. */
export function vocabularyPrompt(terms: readonly string[]): VocabularyPrompt {
  let prompt = '';
  for (const [index, term] of terms.entries()) {
    const longer = prompt === '' ? term : `${prompt}, ${term}`;
    if (longer.length > PROMPT_CHARACTERS) return { prompt, leftOut: terms.length - index };
    prompt = longer;
  }
  return { prompt, leftOut: 0 };
}

export const vocabularyTruncated = (terms: number): RecognitionWarning => ({
  code: 'vocabulary_truncated',
  message: `The last ${terms} vocabulary terms exceed what the speech engine accepts.`,
});
