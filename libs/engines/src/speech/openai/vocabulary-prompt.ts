/** Whisper reads the last 224 tokens of a prompt; terms cost about one token for three characters. */
const PROMPT_CHARACTERS = 600;

export interface VocabularyPrompt {
  prompt: string;
  /** How many of the terms had no room. */
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
