import type { SearchIndex } from '../search-index.js';

/** Of the vectors in the contract. */
export const CONTRACT_DIMENSIONS = 8;

/** An empty index of its own, of `CONTRACT_DIMENSIONS`. */
export interface SearchIndexUnderTest {
  index: SearchIndex;
  /** Resolves when all that was written is found. */
  settle(): Promise<void>;
  /** The same index, as a later process has it; the one before is closed. */
  reopen(): Promise<SearchIndex>;
  dispose(): Promise<void>;
}
