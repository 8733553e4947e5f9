import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { allowedEdits, editDistance, SURE_LETTERS } from '../analysis/fuzziness.js';
import type { TermSequence } from '../analysis/parsed-query.js';

/** A word in more than this part of an account's passages carries little information and takes long; applies from this many passages on. */
const COMMON = { part: 0.1, passages: 2000 };
/**
 * Passages to be ranked for the words of a query, at most but for its rarest word: ranking takes a millisecond for each thousand,
 * and beside rarer words the more common ones hardly change it.
 */
const RANKED_PASSAGES = 4000;
const MAX_VARIANTS = 20;
/** Unknown words of a query that are looked for among all others. */
const MAX_UNKNOWN = 8;

interface Counted {
  word: TermSequence;
  passages: number;
}

/** A word of a query. */
export interface SoughtWord {
  /** Any of them stands for it: itself, or where no passage has it the likely ones, if any. */
  variants: TermSequence[];
  /** The maximum number of passages that contain one of them. */
  passages: number;
}

/** Returns the words that carry most information. */
export function tellingWords(words: readonly SoughtWord[]): TermSequence[] {
  let ranked = 0;
  const telling = words
    .toSorted((a, b) => a.passages - b.passages)
    .filter(({ passages }, index) => (ranked += passages) <= RANKED_PASSAGES || index === 0);
  return telling.flatMap(({ variants }) => variants);
}

/** The words that an account's passages have, and in how many of them each is. */
export class Vocabulary {
  private readonly passagesOf: StatementSync;
  private readonly passagesWith: StatementSync;
  private readonly similar: StatementSync;

  constructor(database: DatabaseSync) {
    this.passagesOf = database.prepare('SELECT sum(passages) AS passages FROM jobs WHERE account_id = ?');
    this.passagesWith = database.prepare('SELECT passages FROM vocabulary WHERE account_id = ? AND term = ?');
    this.similar = database.prepare(
      'SELECT term, passages FROM vocabulary WHERE account_id = ? AND term >= ? AND term < ? AND length(term) BETWEEN ? AND ?',
    );
  }

  /** Returns the words to search for, without the words that nearly every passage has, if others are left. */
  wordsFor(accountId: string, words: readonly TermSequence[], isFuzzy: boolean): SoughtWord[] {
    const counted = words.map((word) => ({ word, passages: word.isPrefix ? 1 : this.count(accountId, word.terms[0] as string) }));
    const known = this.withoutCommon(accountId, counted.filter(({ passages }) => passages > 0));
    const unknown = counted.filter(({ passages }) => passages === 0);
    return [
      ...known.map(({ word, passages }) => ({ variants: [word], passages })),
      ...unknown.map(({ word }, index) => (isFuzzy && index < MAX_UNKNOWN ? this.likely(accountId, word.terms[0] as string) : { variants: [], passages: 0 })),
    ];
  }

  private count(accountId: string, term: string): number {
    return Number(this.passagesWith.get(accountId, term)?.['passages'] ?? 0);
  }

  private withoutCommon(accountId: string, counted: Counted[]): Counted[] {
    const all = Number(this.passagesOf.get(accountId)?.['passages'] ?? 0);
    if (all < COMMON.passages) return counted;
    const rare = counted.filter(({ passages }) => passages <= all * COMMON.part);
    // When there are only common words, the rarest of them is used.
    return rare.length > 0 ? rare : counted.toSorted((a, b) => a.passages - b.passages).slice(0, 1);
  }

  /** The words nearest to one that is not among them. */
  private likely(accountId: string, term: string): SoughtWord {
    const edits = allowedEdits(term);
    if (edits === 0) return { variants: [], passages: 0 };
    const { length } = [...term];
    const sure = [...term].slice(0, SURE_LETTERS).join('');
    const found = this.similar
      .all(accountId, sure, `${sure}\u{10FFFF}`, length - edits, length + edits)
      .map((row) => ({ term: String(row['term']), passages: Number(row['passages']), distance: editDistance(term, String(row['term']), edits) }))
      .filter(({ distance }) => distance <= edits)
      .toSorted((a, b) => a.distance - b.distance || b.passages - a.passages);
    const nearest = found[0]?.distance;
    const likely = found.filter(({ distance }) => distance === nearest).slice(0, MAX_VARIANTS);
    return {
      variants: likely.map((one) => ({ terms: [one.term], isPrefix: false })),
      passages: likely.reduce((sum, { passages }) => sum + passages, 0),
    };
  }
}
