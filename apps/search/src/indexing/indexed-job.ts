import { formerRun, type StageRecord } from '@parlance/stage';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** The passages that the index has of a job. */
export interface IndexedPassages {
  passages: number;
  /** The engine that made their vectors; '' when they have none; TO_REBUILD until they are indexed anew. */
  embedder: string;
  /** The version of the transcript that was indexed last; absent in a record of a version before. */
  textVersion?: number;
}

export type IndexedJobRecord = StageRecord<IndexedPassages>;

/** Takes the place of an engine's name when an operator requested that the transcript is indexed anew, as the index may have lost it. */
export const TO_REBUILD = 'to-rebuild';

/** Takes the place of an engine's name while the engine failed and the transcript is found by its words alone: it gets its vectors once the engine works again. */
export const TO_EMBED = 'to-embed';

/** Version 1 named its one stage's runs by fields. */
interface FirstVersion extends Document, IndexedPassages {
  accountId: string;
  state: 'active' | 'canceled';
  startedRun: number;
  finishedRun: number;
}

export const INDEXED_JOBS: CollectionDefinition<IndexedJobRecord> = {
  name: 'indexed_jobs',
  data: { what: 'progress of indexing a job', purpose: 'to index each transcript once', kept: 'with the job' },
  indexes: [{ fields: ['accountId', 'embedder'] }, { fields: ['embedder'] }],
  schema: { version: 2, upgrade: (document) => upgraded(document as FirstVersion) },
};

const upgraded = ({ startedRun, finishedRun, ...document }: FirstVersion): IndexedJobRecord => ({
  ...document,
  runs: { search: formerRun({ started: startedRun, ended: finishedRun, isCompleted: document.passages > 0 }) },
});
