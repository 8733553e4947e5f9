import { createHash } from 'node:crypto';
import { fold } from '@parlance/languages';
import { AppError, type ErrorCode } from '@parlance/platform/errors';
import type { IndexedJob, JobVersion, Passage, SearchFilters, SearchQuery } from './search-index.js';

/** Above every version: that of a job which was deleted. */
export const DELETED_VERSION = Number.MAX_SAFE_INTEGER;

/** As long as two of them and a passage's fit an id of OpenSearch, 512 bytes. */
const ID = /^[A-Za-z0-9._-]{1,128}$/;
const MAX_LIMIT = 100;
/** The deviation that rounding to 32 bits causes in a length of 1, and more. */
const UNIT_TOLERANCE = 1e-6;

/** @throws AppError invalid */
export function checkIds(...ids: readonly string[]): void {
  for (const id of ids) if (!ID.test(id)) throw invalid('invalid_id', 'An id of the search index must be 1 to 128 letters, digits, ".", "_" or "-".');
}

/** @throws AppError invalid */
export function checkVersion({ accountId, jobId, version }: JobVersion): void {
  checkIds(accountId, jobId);
  if (!Number.isSafeInteger(version) || version < 1 || version >= DELETED_VERSION) throw invalid('invalid_version', 'A version must be a whole number from 1.');
}

/** The job with its text well-formed, its date as this package has dates, and vectors of the right dimensions that point somewhere. @throws AppError invalid */
export function checkedJob(job: IndexedJob, dimensions: number): IndexedJob {
  checkVersion(job);
  checkIds(...job.passages.map(({ id }) => id));
  if (new Set(job.passages.map(({ id }) => id)).size < job.passages.length) throw invalid('invalid_id', 'Two passages of a job have the same id.');
  return { ...job, createdAt: checkedTime(job.createdAt), passages: job.passages.map((passage) => checkedPassage(passage, dimensions)) };
}

function checkedPassage({ embedding, ...passage }: Passage, dimensions: number): Passage {
  const checked = embedding === undefined ? undefined : checkedEmbedding(embedding, dimensions);
  return { ...passage, text: passage.text.toWellFormed(), ...(checked && { embedding: checked }) };
}

/** Normalizes the vector to length 1; undefined when its length is zero. */
function checkedEmbedding(embedding: Float32Array, dimensions: number): Float32Array | undefined {
  if (embedding.length !== dimensions) throw invalid('invalid_embedding', `The search index has vectors of ${dimensions} dimensions; this one has ${embedding.length}.`);
  const norm = Math.hypot(...embedding);
  if (!Number.isFinite(norm)) throw invalid('invalid_embedding', 'A vector contains a value that is not a number.');
  if (norm === 0) return undefined;
  // Most are, and a copy of each is a kilobyte of garbage.
  const isOfLengthOne = Math.abs(norm - 1) < UNIT_TOLERANCE;
  return isOfLengthOne ? embedding : embedding.map((value) => value / norm);
}

export interface CheckedQuery extends Omit<SearchQuery, 'embedding'> {
  embedding?: Float32Array | undefined;
  limit: number;
  isFuzzy: boolean;
}

/** @throws AppError invalid */
export function checkedQuery(query: SearchQuery, dimensions: number): CheckedQuery {
  checkIds(query.accountId);
  const { limit = 20 } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) throw invalid('invalid_limit', `The limit must be 1 to ${MAX_LIMIT}.`);
  const embedding = query.embedding && checkedEmbedding(query.embedding, dimensions);
  return { ...query, text: query.text.toWellFormed(), embedding, limit, isFuzzy: query.fuzziness !== 'none' };
}

/** Filters in the form in which both adapters store what they compare with. */
export interface StoredFilters {
  jobIds?: readonly string[] | undefined;
  languages?: readonly string[] | undefined;
  speakers?: readonly string[] | undefined;
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
  minDuration?: number | undefined;
  maxDuration?: number | undefined;
  metadata: readonly string[];
}

/** @throws AppError invalid */
export const storedFilters = (filters: SearchFilters = {}): StoredFilters => ({
  jobIds: filters.jobIds,
  languages: filters.languages?.map(languageKey),
  speakers: filters.speakers?.map(speakerKey),
  createdFrom: filters.createdFrom === undefined ? undefined : checkedTime(filters.createdFrom),
  createdBefore: filters.createdBefore === undefined ? undefined : checkedTime(filters.createdBefore),
  minDuration: filters.minDuration,
  maxDuration: filters.maxDuration,
  metadata: metadataKeys(filters.metadata),
});

/** One for each pair: of one length, whatever the caller's values are, and nothing that can be read. */
export const metadataKeys = (metadata: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(metadata).map((pair) => createHash('sha256').update(JSON.stringify(pair)).digest('base64url'));

export const languageKey = (tag: string): string => tag.toLowerCase();

/** The key of a speaker's id or name. */
export const speakerKey = (name: string): string => fold(name.toWellFormed());

function checkedTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw invalid('invalid_time', 'A time must be one of RFC 3339.');
  return date.toISOString();
}

const invalid = (code: ErrorCode, message: string): AppError => new AppError({ kind: 'invalid', code, message });
