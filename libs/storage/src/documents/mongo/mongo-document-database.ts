import type { EventStamps, OutboxSource } from '@parlance/event-bus';
import { ConfigError, type Logger } from '@parlance/platform';
import type { mongo } from 'mongoose';
import { DeclaredAccountDocuments } from '../declared-account-documents.js';
import { DeclaredCollections } from '../declared-collections.js';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase, IndexOptions, IndexReport } from '../document-collection.js';
import type { DocumentRecord } from './document-record.js';
import { IndexBuilder } from './index-builder.js';
import { MongoDocumentCollection } from './mongo-document-collection.js';
import { MongoOutbox } from './mongo-outbox.js';
import { MongoServer } from './mongo-server.js';
import { parseMongoUrl } from './mongo-url.js';
import { RelayRegistry } from './relay-registry.js';

export interface MongoDatabaseOptions extends EventStamps {
  log?: Logger | undefined;
  /** Instead of one in the URL. */
  password?: string | undefined;
  random?: () => number;
  /** Milliseconds without a sign of life after which the events of another process are relayed by this one. Default 15 s. */
  relayTimeoutMs?: number;
}

/** One service's documents in a database of its own on MongoDB 6 or later, a replica set. */
export class MongoDocumentDatabase implements DocumentDatabase {
  readonly outbox: OutboxSource;
  private readonly ownOutbox: MongoOutbox;
  private readonly declared = new DeclaredCollections();
  readonly ofAccounts = new DeclaredAccountDocuments(this.declared);
  private readonly relays: RelayRegistry;
  private readonly indexes: IndexBuilder;

  private constructor(
    private readonly server: MongoServer,
    private readonly createIndexes: boolean,
    private readonly options: MongoDatabaseOptions,
  ) {
    this.relays = new RelayRegistry(server, options.clock, options.relayTimeoutMs);
    this.ownOutbox = new MongoOutbox(server, this.declared, this.relays, options);
    this.outbox = this.ownOutbox;
    this.indexes = new IndexBuilder(server, options.log);
  }

  /** Does not wait for the server: calls do, and `check` fails until it is there. @throws ConfigError */
  static open(url: string, options: MongoDatabaseOptions): MongoDocumentDatabase {
    const parsed = parseMongoUrl(url);
    const { source: service, password, log, random } = options;
    if (password !== undefined && parsed.user === undefined) throw new ConfigError(['DATABASE_PASSWORD: DATABASE_URL names no user for it']);
    return new MongoDocumentDatabase(new MongoServer({ url: parsed, service, password, log, ...(random && { random }) }), parsed.createIndexes, options);
  }

  collection<T extends Document>(definition: CollectionDefinition<T>): DocumentCollection<T> {
    return this.declared.once(definition, () => {
      this.indexes.declare(definition);
      return new MongoDocumentCollection(definition, {
        call: async <R>(work: (records: mongo.Collection<DocumentRecord>) => Promise<R>) => {
          if (this.createIndexes) await this.indexes.created(definition.name);
          else this.indexes.warnOfMissing(definition.name);
          return this.server.call((database) => work(database.collection<DocumentRecord>(definition.name)));
        },
        outbox: this.ownOutbox,
        random: this.options.random ?? Math.random,
      });
    });
  }

  async ensureIndexes(options: IndexOptions = {}): Promise<IndexReport> {
    return this.indexes.ensure(options);
  }

  /** A majority has each write on the disk before it is acknowledged. */
  async flush(): Promise<void> {}

  check(): Promise<void> {
    return this.server.check();
  }

  async close(): Promise<void> {
    await this.relays.leave().catch(() => {}); // Its place is empty soon anyway.
    await this.server.close();
  }
}
