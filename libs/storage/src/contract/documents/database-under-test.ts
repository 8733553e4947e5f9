import type { DocumentDatabase } from '../../documents/document-collection.js';

/** An empty database of its own, whose events have the source `contract`. */
export interface DatabaseUnderTest {
  database: DocumentDatabase;
  /** The same database once more, as another process has it. */
  connect(): Promise<DocumentDatabase>;
  /** Removes the data; every database is closed by then. */
  dispose(): Promise<void>;
}
