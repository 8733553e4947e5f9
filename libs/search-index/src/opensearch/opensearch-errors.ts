import { AppError } from '@parlance/platform';

/** The error that the server reports in an answer or for one item of a bulk. */
export interface ServerError {
  type?: string;
  reason?: string;
}

interface Thrown {
  name?: string;
  statusCode?: number | undefined;
  body?: { error?: ServerError | string };
}

const REFUSED: ReadonlySet<unknown> = new Set([401, 403]);
const AWAY: ReadonlySet<unknown> = new Set([429, 502, 503, 504]);
const AWAY_NAMES: ReadonlySet<unknown> = new Set(['ConnectionError', 'TimeoutError', 'NoLivingConnectionsError']);
const CONFLICTING: ReadonlySet<unknown> = new Set(['strict_dynamic_mapping_exception', 'mapper_parsing_exception', 'document_parsing_exception']);
const BLOCKED = 'cluster_block_exception';

export const statusOf = (thrown: unknown): number | undefined => (thrown as Thrown | null)?.statusCode;

export function serverError(thrown: unknown): ServerError {
  const error = (thrown as Thrown | null)?.body?.error;
  return typeof error === 'string' ? { reason: error } : (error ?? {});
}

/** Wrong password, or a user that may not do it. Not an index that is closed to writes. */
export const isRefusal = (thrown: unknown): boolean => REFUSED.has(statusOf(thrown)) && serverError(thrown).type !== BLOCKED;

/** Worth another try a little later: away, overloaded, or closed to writes while it is copied. */
export const isPassing = (status: number | undefined, { type }: ServerError): boolean => AWAY.has(status) || type === BLOCKED;

export const isAway = (thrown: unknown): boolean => AWAY_NAMES.has((thrown as Thrown | null)?.name) || isPassing(statusOf(thrown), serverError(thrown));

/** Maps the server's absence, refusal and full disk to AppErrors, and returns any other error unchanged. */
export function fromOpenSearchError(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  const { type, reason } = serverError(thrown);
  const known = fromServerError({ type, reason } as ServerError, thrown);
  if (known) return known;
  if (type === 'index_not_found_exception') return indexMissing(thrown);
  if (isRefusal(thrown)) return searchUnavailable('The search server refused the user or its password.', thrown);
  return isAway(thrown) ? searchUnavailable('The search server is unavailable.', thrown) : thrown;
}

/** One of an item or an answer that has a name of its own. */
export function fromServerError({ type, reason = '' }: ServerError, cause?: unknown): AppError | undefined {
  if (type === BLOCKED && /read-only-allow-delete|flood.?stage/i.test(reason)) {
    return new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.', cause });
  }
  if (CONFLICTING.has(type)) return mappingConflict('The search index does not accept documents of this version: run "parlance-admin search reindex".', cause);
  if (type === 'index_not_found_exception' || /require_alias/.test(reason)) return indexMissing(cause);
  return undefined;
}

export const searchUnavailable = (message: string, cause?: unknown): AppError => new AppError({ kind: 'unavailable', code: 'search_unavailable', message, cause });

export const mappingConflict = (message: string, cause?: unknown): AppError =>
  new AppError({ kind: 'conflict', code: 'search_mapping_conflict', message, retryable: false, cause });

const indexMissing = (cause?: unknown): AppError =>
  new AppError({ kind: 'unavailable', code: 'search_index_missing', message: 'The search index does not exist: run "parlance-admin search migrate".', cause });
