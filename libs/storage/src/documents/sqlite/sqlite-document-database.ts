import type { DatabaseSync } from 'node:sqlite';
import type { EventStamps, OutboxSource } from '@parlance/event-bus';
import { AppError, type Logger } from '@parlance/platform';
import { GroupCommit, openSqliteDatabase, type Durability, type FileSync, type Migration } from '@parlance/platform/sqlite';
import { DeclaredAccountDocuments } from '../declared-account-documents.js';
import { DeclaredCollections } from '../declared-collections.js';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase, IndexReport } from '../document-collection.js';
import { declareCollection } from './collection-schema.js';
import { SqliteDocumentCollection } from './sqlite-document-collection.js';
import { SqliteOutbox } from './sqlite-outbox.js';

export const MIGRATIONS: readonly Migration[] = [
  (database) => database.exec('CREATE TABLE outbox (position INTEGER PRIMARY KEY AUTOINCREMENT, events TEXT NOT NULL) STRICT'),
  (database) =>
    database.exec(`
      -- Those that the bus does not take.
      CREATE TABLE refused_events (
        position INTEGER PRIMARY KEY,
        event_id TEXT NOT NULL UNIQUE,
        event TEXT NOT NULL,
        reason TEXT NOT NULL,
        refused_at TEXT NOT NULL
      ) STRICT`),
];

/** One service's documents in one SQLite file. */
export class SqliteDocumentDatabase implements DocumentDatabase {
  readonly outbox: OutboxSource;
  private readonly commits: GroupCommit;
  private readonly ownOutbox: SqliteOutbox;
  private readonly declared = new DeclaredCollections();
  readonly ofAccounts = new DeclaredAccountDocuments(this.declared);

  /** @param database with the tables of MIGRATIONS; closed with this */
  constructor(
    private readonly database: DatabaseSync,
    { durability, sync, ...stamps }: EventStamps & { durability?: Durability | undefined; sync?: FileSync },
  ) {
    this.commits = new GroupCommit(database, databaseClosed, { durability, sync });
    this.ownOutbox = new SqliteOutbox(database, this.commits, stamps);
    this.outbox = this.ownOutbox;
  }

  static async open(path: string, { log, ...options }: EventStamps & { durability?: Durability | undefined; log?: Logger | undefined }): Promise<SqliteDocumentDatabase> {
    return new SqliteDocumentDatabase(openSqliteDatabase(path, MIGRATIONS, { log }), options);
  }

  collection<T extends Document>(definition: CollectionDefinition<T>): DocumentCollection<T> {
    return this.declared.once(definition, () => {
      const collection = new SqliteDocumentCollection(definition, this.database, this.ownOutbox);
      declareCollection(this.database, definition);
      return collection;
    });
  }

  /** The collections that were declared so far. */
  get definitions(): CollectionDefinition<Document>[] {
    return this.declared.definitions;
  }

  /** Declaring a collection made its indexes already. */
  async ensureIndexes(): Promise<IndexReport> {
    return { created: [], unused: [] };
  }

  flush(): Promise<void> {
    return this.commits.flush();
  }

  async check(): Promise<void> {
    this.commits.check();
    this.database.prepare('SELECT 1').get();
  }

  async close(): Promise<void> {
    if (!this.database.isOpen) return;
    try {
      await this.commits.close();
    } finally {
      this.database.close();
    }
  }
}

const databaseClosed = () => new AppError({ kind: 'unavailable', code: 'storage_closed', message: 'The database is closed.' });
