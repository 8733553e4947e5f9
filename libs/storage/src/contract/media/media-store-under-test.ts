import type { MediaStore } from '../../media/media-store.js';

/** An empty store of its own. */
export interface MediaStoreUnderTest {
  store: MediaStore;
  /** The same store, as another process or a later one has it. */
  connect(): Promise<MediaStore>;
  /** @returns the number of unfinished uploads in the store, counted as the adapter can */
  countUnfinished(): Promise<number>;
  dispose(): Promise<void>;
}
