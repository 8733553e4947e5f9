import { createHash } from 'node:crypto';
import { AppError } from '@parlance/platform/errors';
import type { SearchQuery } from '../search-index.js';
import { RANK_WINDOW, type Ranked } from './hybrid-ranking.js';

const QUERY_BYTES = 8;
/** Bytes of the digest of a hit: among 200 hits that were returned, one in 10^10 others is mistaken for one of them. */
const HIT_BYTES = 6;

interface RankedPage {
  ranked: Ranked[];
  nextCursor: string | null;
}

/**
 * The position of a search. It contains which hits were returned, since a rank is not a stable position: any passage that is
 * added changes it. The next page is the best of what was not returned yet.
 */
export class SearchCursor {
  private constructor(
    private readonly query: Buffer,
    private readonly seen: ReadonlySet<string>,
  ) {}

  /** @throws AppError invalid_cursor when it is not one, or one of another query. */
  static of(query: SearchQuery): SearchCursor {
    const identity = identityOf(query);
    if (query.cursor === undefined) return new SearchCursor(identity, new Set());
    const bytes = Buffer.from(query.cursor, 'base64url');
    const count = (bytes.length - QUERY_BYTES) / HIT_BYTES;
    if (!Number.isInteger(count) || count < 1 || count > RANK_WINDOW || !bytes.subarray(0, QUERY_BYTES).equals(identity)) throw invalidCursor();
    const seen = Array.from({ length: count }, (_, index) => bytes.subarray(QUERY_BYTES + index * HIT_BYTES, QUERY_BYTES + (index + 1) * HIT_BYTES).toString('latin1'));
    return new SearchCursor(identity, new Set(seen));
  }

  /** So many of the best contain a page and tell whether there is another. */
  wanted(limit: number): number {
    return Math.min(RANK_WINDOW, this.seen.size + limit + 1);
  }

  /** @param ranked the best of all, the best first */
  page(ranked: readonly Ranked[], limit: number): RankedPage {
    const fresh = ranked.filter(({ id }) => !this.seen.has(digestOf(id)));
    const page = fresh.slice(0, Math.min(limit, RANK_WINDOW - this.seen.size));
    const seen = [...this.seen, ...page.map(({ id }) => digestOf(id))];
    const isLast = fresh.length === page.length || seen.length >= RANK_WINDOW;
    return { ranked: page, nextCursor: isLast ? null : Buffer.concat([this.query, Buffer.from(seen.join(''), 'latin1')]).toString('base64url') };
  }
}

const digestOf = (id: string): string => createHash('sha256').update(id).digest().subarray(0, HIT_BYTES).toString('latin1');

function identityOf({ accountId, text, mode, phrase, fuzziness, filters = {} }: SearchQuery): Buffer {
  const sorted = Object.entries(filters).filter(([, value]) => value !== undefined).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const identity = JSON.stringify([accountId, text, mode ?? 'hybrid', phrase ?? false, fuzziness ?? 'auto', sorted]);
  return createHash('sha256').update(identity).digest().subarray(0, QUERY_BYTES);
}

const invalidCursor = () => new AppError({ kind: 'invalid', code: 'invalid_cursor', message: 'The cursor was not returned by this search.' });
