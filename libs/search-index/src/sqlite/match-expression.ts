import type { TermSequence } from '../analysis/parsed-query.js';

/**
 * A full-text query of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax) for any of the words; undefined when
 * there is nothing to search for.
 */
export function someWordsExpression(words: readonly TermSequence[], phrases: readonly TermSequence[]): string | undefined {
  const all = phrases.map(asFts).join(' AND ');
  if (words.length === 0) return all || undefined;
  const any = words.map(asFts).join(' OR ');
  // With phrases, words are not needed, and count for the order.
  return all === '' ? any : `(${all}) AND ((${any}) OR (${all}))`;
}

/** The same for all of the words, each given as what may stand for it; undefined also when there is nothing for one of them. */
export function allWordsExpression(words: readonly (readonly TermSequence[])[], phrases: readonly TermSequence[]): string | undefined {
  const all = [...phrases.map(asFts), ...words.map((variants) => `(${variants.map(asFts).join(' OR ')})`)];
  return all.length === 0 || words.some((variants) => variants.length === 0) ? undefined : all.join(' AND ');
}

/** Terms are letters, marks and digits only. */
const asFts = ({ terms, isPrefix }: TermSequence): string => `"${terms.join(' ')}"${isPrefix ? ' *' : ''}`;
