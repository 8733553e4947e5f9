import type { DatabaseSync } from 'node:sqlite';
import type { EventStamps, OutboxSource } from '@parlance/event-bus';
import { openSqliteDatabase, type Migration } from '@parlance/platform/sqlite';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '../document-collection.js';
import { declareCollection } from './collection-schema.js';
import { SqliteDocumentCollection } from './sqlite-document-collection.js';
import { SqliteOutbox } from './sqlite-outbox.js';

export const MIGRATIONS: readonly Migration[] = [
  (database) => database.exec('CREATE TABLE outbox (position INTEGER PRIMARY KEY AUTOINCREMENT, events TEXT NOT NULL) STRICT'),
];

interface Declared {
  definition: string;
  collection: unknown;
}

/** One service's documents in one SQLite file. */
export class SqliteDocumentDatabase implements DocumentDatabase {
  readonly outbox: OutboxSource;
  private readonly ownOutbox: SqliteOutbox;
  private readonly declared = new Map<string, Declared>();

  /** @param database with the tables of MIGRATIONS; closed with this */
  constructor(
    private readonly database: DatabaseSync,
    stamps: EventStamps,
  ) {
    this.ownOutbox = new SqliteOutbox(database, stamps);
    this.outbox = this.ownOutbox;
  }

  static async open(path: string, stamps: EventStamps): Promise<SqliteDocumentDatabase> {
    return new SqliteDocumentDatabase(openSqliteDatabase(path, MIGRATIONS), stamps);
  }

  collection<T extends Document>(definition: CollectionDefinition<T>): DocumentCollection<T> {
    const described = JSON.stringify(definition.indexes);
    const known = this.declared.get(definition.name);
    if (known && known.definition !== described) throw new Error(`the collection ${definition.name} is defined in two ways`);
    if (known) return known.collection as DocumentCollection<T>;
    const collection = new SqliteDocumentCollection(definition, this.database, this.ownOutbox);
    declareCollection(this.database, definition);
    this.declared.set(definition.name, { definition: described, collection });
    return collection;
  }

  async check(): Promise<void> {
    this.database.prepare('SELECT 1').get();
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.database.close();
  }
}
