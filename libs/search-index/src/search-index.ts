/** A few sentences of one speaker. */
export interface Passage {
  /** Unique in its job, of letters, digits, ".", "_" and "-": for instance the id of its first segment. */
  id: string;
  /** BCP 47. */
  language: string;
  speaker?: Speaker;
  /** Seconds from the recording's beginning. */
  start: number;
  end: number;
  text: string;
  /** When parts of the text are said, ascending: offset in the text (UTF-16 code units) and seconds. */
  times?: readonly (readonly [offset: number, seconds: number])[];
  /** A vector of the index's dimensions; any length but zero. Without one the passage is found by its words only. */
  embedding?: Float32Array;
}

export interface Speaker {
  id: string;
  name?: string;
}

/** A job at a version: a write with a lower version has no effect, however late it arrives. */
export interface JobVersion {
  accountId: string;
  jobId: string;
  /** A whole number from 1, of one sequence for the job. */
  version: number;
}

export interface IndexedJob extends JobVersion {
  /** RFC 3339 UTC. */
  createdAt: string;
  /** Seconds of the recording. */
  duration: number;
  metadata?: Readonly<Record<string, string>>;
  passages: readonly Passage[];
}

export type SearchMode = 'lexical' | 'vector' | 'hybrid';

/** All filters must match. An empty list matches nothing. */
export interface SearchFilters {
  jobIds?: readonly string[];
  /** A tag stands for the longer ones that begin with it: `en` for `en-GB` (RFC 4647, basic filtering). */
  languages?: readonly string[];
  /** Ids or names, whatever their case. */
  speakers?: readonly string[];
  /** The creation time of the job, RFC 3339 UTC: from, inclusive, and before. */
  createdFrom?: string;
  createdBefore?: string;
  /** Seconds of the recording, inclusive. */
  minDuration?: number;
  maxDuration?: number;
  metadata?: Readonly<Record<string, string>>;
}

export interface SearchQuery {
  /** Only passages of this account are found. */
  accountId: string;
  /** Words, of which a hit by words has at least one; `"words in quotes"` stand together in every hit. */
  text: string;
  /** The embedding of the text. Without it the search is by words, whatever the mode. */
  embedding?: Float32Array;
  /** Default hybrid. */
  mode?: SearchMode;
  /** The whole text is in quotes. */
  phrase?: boolean;
  /** Default auto: a word of 4 letters may differ in one, of 8 in two, but not in the first one. */
  fuzziness?: 'auto' | 'none';
  filters?: SearchFilters;
  /** 1 to 100, default 20. */
  limit?: number;
  /** Opaque, from the page before: no hit comes twice and none that was there is left out while passages are added. */
  cursor?: string;
}

export interface SearchHit {
  jobId: string;
  passageId: string;
  language: string;
  speaker?: Speaker;
  start: number;
  end: number;
  text: string;
  createdAt: string;
  /** Orders the hits; the scale is the same in every adapter, but it is not an absolute measure of relevance. */
  score: number;
  snippet: Snippet;
  /** Seconds from the recording's beginning at which the matching part begins. */
  jumpTo: number;
}

/** The part of a passage with most of the matches. */
export interface Snippet {
  text: string;
  /** The matches, as offsets in `text` (UTF-16 code units): from, and before. */
  marks: (readonly [from: number, before: number])[];
}

export interface SearchPage {
  hits: SearchHit[];
  /** The mode that was used: `lexical` when there was no embedding, `vector` when there were no words. */
  mode: SearchMode;
  /** null after the last one, or after 200 hits. */
  nextCursor: string | null;
}

/**
 * Passages of transcripts, found by their words and by their meaning. A write becomes visible to searches at once in the
 * embedded index, and within a second on a server. A deleted passage can no longer be found.
 */
export interface SearchIndex {
  /** The job's passages are these and no others. @returns false when a higher version was there, or the job is deleted. */
  put(job: IndexedJob): Promise<boolean>;
  /**
   * Gives passages of these speakers another name, or another speaker (both ids are then one), and keeps their embeddings.
   * The version counts for a job that is not indexed, too: what was read before the change is not put after it.
   * @returns false when a higher version was there, or the job is not indexed.
   */
  updateSpeakers(job: JobVersion, speakers: Readonly<Record<string, Speaker>>): Promise<boolean>;
  /** Permanent: a later `put` of the job has no effect. */
  deleteJob(accountId: string, jobId: string): Promise<void>;
  /** Deletes all jobs of the account permanently. Later writes for the account have no effect. */
  deleteAccount(accountId: string): Promise<void>;
  /** @throws AppError invalid_cursor, invalid_embedding */
  search(query: SearchQuery): Promise<SearchPage>;
  /** @throws AppError when the index cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}
