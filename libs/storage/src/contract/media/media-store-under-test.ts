import type { MediaStore } from '../../media/media-store.js';

/** An empty store of its own. */
export interface MediaStoreUnderTest {
  store: MediaStore;
  /** The same store, as another process or a later one has it. */
  connect(): Promise<MediaStore>;
  /** How many unfinished uploads it holds, by whatever means the adapter has to tell. */
  countUnfinished(): Promise<number>;
  dispose(): Promise<void>;
}
