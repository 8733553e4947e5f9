import type { CollectionDefinition, Document } from '@parlance/storage';

/** What search knows of a job. */
export interface IndexedJobRecord extends Document {
  accountId: string;
  state: 'active' | 'canceled';
  /** The newest run that the stage began in, and the newest it ended in; 0: none. */
  startedRun: number;
  finishedRun: number;
  /** In the index. */
  passages: number;
  /** The engine whose vectors these have; '' when they have none; TO_REBUILD until they are indexed anew. */
  embedder: string;
}

/** In the place of an engine: an operator asked to index the transcript anew, as the index may have lost it. */
export const TO_REBUILD = 'to-rebuild';

export const INDEXED_JOBS: CollectionDefinition<IndexedJobRecord> = {
  name: 'indexed_jobs',
  indexes: [{ fields: ['accountId', 'embedder'] }, { fields: ['embedder'] }],
};
