import { silentLogger, type Logger } from '@parlance/platform';
import type { Model } from 'mongoose';
import type { CollectionDefinition, Document, IndexOptions, IndexReport } from '../document-collection.js';
import { collectionIndexes, isOurs } from './collection-indexes.js';
import { recordSchema, type DocumentRecord } from './document-record.js';
import type { MongoServer } from './mongo-server.js';

interface Declared {
  model: Model<DocumentRecord>;
  wanted: string[];
  /** The first creation in this process; undefined again when it failed. */
  creation?: Promise<unknown> | undefined;
  warned: boolean;
}

/** https://www.mongodb.com/docs/manual/reference/error-codes/ NamespaceNotFound: no such collection yet. */
const NO_COLLECTION = 26;

/** Creates the indexes of collections when configured to, and otherwise reports those that are missing. */
export class IndexBuilder {
  private readonly declared = new Map<string, Declared>();
  private readonly log: Logger;

  constructor(
    private readonly server: MongoServer,
    log: Logger | undefined,
  ) {
    this.log = (log ?? silentLogger()).child({ database: server.name });
  }

  declare<T extends Document>(definition: CollectionDefinition<T>): void {
    const model = this.server.connection.model<DocumentRecord>(definition.name, recordSchema(definition));
    this.declared.set(definition.name, { model, wanted: collectionIndexes(definition).map(({ name }) => name), warned: false });
  }

  async ensure({ dropUnused = false, dryRun = false }: IndexOptions): Promise<IndexReport> {
    const report: IndexReport = { created: [], unused: [] };
    for (const [name, { model, wanted }] of this.declared) {
      const existing = await this.existing(name);
      if (!dryRun) await this.server.call(() => model.createIndexes());
      const unused = existing.filter((index) => isOurs(index) && !wanted.includes(index));
      if (dropUnused && !dryRun) for (const index of unused) await this.server.call((database) => database.collection(name).dropIndex(index));
      report.created.push(...wanted.filter((index) => !existing.includes(index)).map((index) => `${name}.${index}`));
      report.unused.push(...unused.map((index) => `${name}.${index}`));
    }
    return report;
  }

  /** Once in this process, before the first call of the collection. */
  async created(name: string): Promise<void> {
    const declared = this.of(name);
    declared.creation ??= this.server.call(() => declared.model.createIndexes());
    try {
      await declared.creation;
    } catch (error) {
      declared.creation = undefined;
      throw error;
    }
  }

  /** In the background, once: a collection without its indexes works, slowly, and lets duplicates in. */
  warnOfMissing(name: string): void {
    const declared = this.of(name);
    if (declared.warned) return;
    declared.warned = true;
    this.existing(name).then(
      (existing) => {
        const missing = declared.wanted.filter((index) => !existing.includes(index));
        if (missing.length > 0) this.log.warn({ collection: name, missing }, 'indexes are missing; run `parlance-admin indexes`');
      },
      () => (declared.warned = false),
    );
  }

  private async existing(name: string): Promise<string[]> {
    try {
      const indexes = await this.server.call((database) => database.collection(name).listIndexes().toArray());
      return indexes.map((index) => String(index['name']));
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_COLLECTION) return [];
      throw error;
    }
  }

  private of(name: string): Declared {
    const declared = this.declared.get(name);
    if (!declared) throw new Error(`the collection ${name} was not declared`);
    return declared;
  }
}
