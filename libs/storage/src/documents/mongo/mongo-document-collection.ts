import { setTimeout as sleep } from 'node:timers/promises';
import type { NewEvent } from '@parlance/event-bus';
import type { mongo } from 'mongoose';
import type { Change, CollectionDefinition, Document, DocumentCollection, Insert, Page, PagesQuery, Query, Stored, UpdateResult } from '../document-collection.js';
import { duplicate, versionConflict } from '../document-errors.js';
import { DocumentSchema } from '../document-schema.js';
import { everyPage } from '../every-page.js';
import { fieldPaths, valueAt, type FieldPaths } from '../field-paths.js';
import { encodeCursor } from '../page-cursor.js';
import { recordPath } from './collection-indexes.js';
import { CONTENT_FIELDS, recordContent, storedOf, type DocumentRecord, type OutboxCommit, type VersionedRecord } from './document-record.js';
import { isDuplicateKey } from './mongo-errors.js';
import type { MongoOutbox } from './mongo-outbox.js';
import { pageFilter, whereFilter } from './query-filter.js';

const DEFAULT_LIMIT = 20;
const READ_TIMEOUT_MS = 20_000;
/** The maximum delay of an update that met a conflict; delays grow, so that writers of one document get past each other. */
const MAX_OVERTAKEN_DELAY_MS = 50;

type Records = mongo.Collection<DocumentRecord>;
type RecordFilter = mongo.Filter<DocumentRecord>;

/** The record of a document that is to be inserted. */
interface NewRecord<T extends Document> {
  document: T;
  content: Partial<DocumentRecord>;
  commit: OutboxCommit | undefined;
  record: DocumentRecord;
}

interface CollectionAccess {
  /** With errors of the database as AppErrors; after the indexes are there, where declaring creates them. */
  call<R>(work: (records: Records) => Promise<R>): Promise<R>;
  outbox: MongoOutbox;
  random: () => number;
}

/** Documents as records with their version and outbox: every write is one operation on one record. */
export class MongoDocumentCollection<T extends Document> implements DocumentCollection<T> {
  private readonly name: string;
  private readonly paths: FieldPaths;
  private readonly schema: DocumentSchema<T>;

  constructor(
    private readonly definition: CollectionDefinition<T>,
    private readonly access: CollectionAccess,
  ) {
    this.name = definition.name;
    this.paths = fieldPaths(definition);
    this.schema = new DocumentSchema(definition);
  }

  async insert(document: T, events?: readonly NewEvent[]): Promise<Stored<T>> {
    return this.insertRecord(this.newRecord(plain(document), events));
  }

  insertIfAbsent(document: T, events?: readonly NewEvent[]): Promise<Stored<T> | undefined> {
    return unlessRefused('duplicate', () => this.insert(document, events));
  }

  async insertInOrder(inserts: readonly Insert<T>[]): Promise<number> {
    const records = inserts.map(({ document, events }) => this.newRecord(plain(document), events));
    for (let stored = 0; ; stored += 1) {
      stored += await this.insertUntilDuplicate(records.slice(stored));
      const next = records[stored];
      if (!next || !(await this.isInserted(next))) return stored;
    }
  }

  async get(id: string): Promise<Stored<T> | undefined> {
    const record = await this.record(id);
    return record && this.stored(record);
  }

  async replace(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T>> {
    return this.replaceRecord(plain(document), expectedVersion, events);
  }

  replaceIf(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T> | undefined> {
    return unlessRefused('version_conflict', () => this.replace(document, expectedVersion, events));
  }

  async remove(id: string, expectedVersion?: number): Promise<boolean> {
    const filter = { _id: id, version: expectedVersion ?? { $exists: true } };
    for (;;) {
      if (await this.removeOne(filter)) return true;
      const left = await this.record(id);
      if (!left) return false;
      if (expectedVersion !== undefined && left.version !== expectedVersion) throw versionConflict(this.name);
    }
  }

  async removeWhere(where: NonNullable<Query['where']>): Promise<number> {
    const filter = whereFilter(where, this.paths, this.name) as RecordFilter;
    if (Object.values(where).every((value) => value === undefined)) throw new Error(`removeWhere on ${this.name} needs a condition`);
    // Again while some are left: a document may get or lose its events between the two ways of removing it.
    for (let removed = 0; ; ) {
      removed += await this.removeSome(filter);
      if (!(await this.access.call((records) => records.findOne(filter, { projection: { _id: 1 }, maxTimeMS: READ_TIMEOUT_MS })))) return removed;
    }
  }

  async find(query: Query = {}): Promise<Page<T>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { filter, sort, order } = pageFilter(query, this.paths, this.name);
    const found = await this.access.call((records) =>
      records
        .find(filter as RecordFilter, { sort, limit: limit + 1, maxTimeMS: READ_TIMEOUT_MS })
        .project<VersionedRecord>({ document: 1, escaped: 1, version: 1 })
        .toArray(),
    );
    const items = found.slice(0, limit).map((record) => this.stored(record));
    const last = items.at(-1)?.document;
    const hasMore = found.length > limit && last !== undefined;
    return { items, nextCursor: hasMore ? encodeCursor(order, { value: valueAt(last, order.orderBy) as string | number, id: last.id }) : null };
  }

  all(query: PagesQuery = {}): AsyncIterable<Stored<T>> {
    return everyPage(this, query);
  }

  async count(where?: Query['where']): Promise<number> {
    const filter = whereFilter(where, this.paths, this.name) as RecordFilter;
    return this.access.call((records) => records.countDocuments(filter, { maxTimeMS: READ_TIMEOUT_MS }));
  }

  async sum(path: string, where?: Query['where']): Promise<number> {
    this.paths.requireOrder(path);
    const filter = whereFilter(where, this.paths, this.name);
    const group = { $group: { _id: null, sum: { $sum: `$${recordPath(path)}` } } };
    const [total] = await this.access.call((records) => records.aggregate<{ sum: number }>([{ $match: filter }, group], { maxTimeMS: READ_TIMEOUT_MS }).toArray());
    return total?.sum ?? 0;
  }

  async update(id: string, change: Change<T>): Promise<UpdateResult<T>> {
    for (let overtaken = 0; ; overtaken += 1) {
      const record = await this.record(id);
      const stored = record && this.stored(record);
      const changed = change(stored && structuredClone(stored.document));
      if (!changed) return { stored, changed: false };
      if (changed.document.id !== id) throw new Error(`a change of ${id} in ${this.name} gave a document with another id`);
      try {
        return { stored: await this.writeChange(changed, record?.version), changed: true };
      } catch (error) {
        if (!(await this.wasOvertaken(id, record, error))) throw error;
        await sleep(Math.min(MAX_OVERTAKEN_DELAY_MS, 2 ** overtaken) * this.access.random());
      }
    }
  }

  private writeChange({ document, events }: NonNullable<ReturnType<Change<T>>>, version: number | undefined): Promise<Stored<T>> {
    const json = plain(document);
    return version === undefined ? this.insertRecord(this.newRecord(json, events)) : this.replaceRecord(json, version, events);
  }

  /** True when a write failed because another process wrote the document meanwhile. */
  private async wasOvertaken(id: string, before: VersionedRecord | undefined, error: unknown): Promise<boolean> {
    const { code } = error as { code?: unknown };
    return code === 'version_conflict' || (code === 'duplicate' && before === undefined && (await this.record(id)) !== undefined);
  }

  private newRecord(document: T, events: readonly NewEvent[] | undefined): NewRecord<T> {
    const commit = this.access.outbox.commit(events);
    const content = { version: 1, write: this.access.random(), ...recordContent(this.definition, this.schema.toStored(document)) };
    const outbox = commit ? { outbox: [commit], pending: true, pendingSince: commit.at } : { outbox: [], pending: false };
    return { document, content, commit, record: { _id: document.id, ...content, ...outbox } };
  }

  private async insertRecord({ document, content, commit, record }: NewRecord<T>): Promise<Stored<T>> {
    await this.unique(async (records) => {
      try {
        await records.insertOne(record);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if (await hasWritten(records, document.id, content)) return;
        if (!(await this.insertOverRemoved(records, document.id, content, commit))) throw error;
      }
    });
    if (commit) this.access.outbox.committed();
    return { document, version: 1 };
  }

  /** @returns how many were inserted before the first that may be there already. */
  private async insertUntilDuplicate(inserts: readonly NewRecord<T>[]): Promise<number> {
    if (inserts.length === 0) return 0;
    const inserted = await this.access.call(async (records) => {
      try {
        return (await records.insertMany(inserts.map(({ record }) => record), { ordered: true })).insertedCount;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (error as mongo.MongoBulkWriteError).insertedCount;
      }
    });
    if (inserts.slice(0, inserted).some(({ commit }) => commit)) this.access.outbox.committed();
    return inserted;
  }

  private async isInserted(insert: NewRecord<T>): Promise<boolean> {
    return (await unlessRefused('duplicate', () => this.insertRecord(insert))) !== undefined;
  }

  /** In the record of a removed document whose events are not yet relayed: those of the new one come behind them. */
  private async insertOverRemoved(records: Records, id: string, content: Partial<DocumentRecord>, commit: OutboxCommit | undefined): Promise<boolean> {
    const { $set, $unset, ...rest } = changeOf(content, commit);
    const update = { ...rest, $set, $unset: { ...$unset, removed: '' as const } };
    return (await records.updateOne({ _id: id, removed: true }, update as mongo.UpdateFilter<DocumentRecord>)).matchedCount > 0;
  }

  private async replaceRecord(document: T, version: number, events: readonly NewEvent[] | undefined): Promise<Stored<T>> {
    const commit = this.access.outbox.commit(events);
    const content = { version: version + 1, write: this.access.random(), ...recordContent(this.definition, this.schema.toStored(document)) };
    const update = changeOf(content, commit) as mongo.UpdateFilter<DocumentRecord>;
    const { matchedCount } = await this.unique((records) => records.updateOne({ _id: document.id, version }, update));
    if (matchedCount === 0 && !(await this.access.call((records) => hasWritten(records, document.id, content)))) throw versionConflict(this.name);
    if (commit) this.access.outbox.committed();
    return { document, version: version + 1 };
  }

  /** As removeSome; single operations, which the driver tries again when the connection is lost. */
  private async removeOne(filter: RecordFilter): Promise<boolean> {
    const { deletedCount } = await this.access.call((records) => records.deleteOne({ ...filter, pending: false }));
    return deletedCount > 0 || (await this.access.call((records) => records.updateOne({ ...filter, pending: true }, REMOVAL))).matchedCount > 0;
  }

  /** Removes documents without events to relay; of the others, only the events stay. */
  private async removeSome(filter: RecordFilter): Promise<number> {
    const { deletedCount } = await this.access.call((records) => records.deleteMany({ ...filter, pending: false }));
    const { modifiedCount } = await this.access.call((records) => records.updateMany({ ...filter, pending: true }, REMOVAL));
    return deletedCount + modifiedCount;
  }

  private stored(record: Parameters<typeof storedOf>[0]): Stored<T> {
    const { document, version } = storedOf(record);
    return { document: this.schema.fromStored(document), version };
  }

  private async record(id: string): Promise<VersionedRecord | undefined> {
    const projection = { document: 1, escaped: 1, version: 1 };
    const found = await this.access.call((records) => records.findOne({ _id: id, version: { $exists: true } }, { projection, maxTimeMS: READ_TIMEOUT_MS }));
    return (found ?? undefined) as VersionedRecord | undefined;
  }

  private async unique<R>(work: (records: Records) => Promise<R>): Promise<R> {
    try {
      return await this.access.call(work);
    } catch (error) {
      throw isDuplicateKey(error) ? duplicate(this.name, error) : error;
    }
  }
}

async function unlessRefused<R>(code: 'duplicate' | 'version_conflict', write: () => Promise<R>): Promise<R | undefined> {
  try {
    return await write();
  } catch (error) {
    if ((error as { code?: unknown }).code === code) return undefined;
    throw error;
  }
}

/**
 * True when a write that found its version taken had taken it itself: the driver repeats a write when the answer is lost, and
 * a server that was killed meanwhile may not know that it had carried it out.
 */
const hasWritten = async (records: Records, id: string, { version, write }: Pick<DocumentRecord, 'version' | 'write'>): Promise<boolean> =>
  (await records.findOne({ _id: id, version, write } as RecordFilter, { projection: { _id: 1 }, maxTimeMS: READ_TIMEOUT_MS })) !== null;

const REMOVAL: mongo.UpdateFilter<DocumentRecord> = {
  $set: { removed: true },
  $unset: { document: '', escaped: '', attributes: '', unique: '', expiresAt: '', version: '', write: '', inbox: '' },
};

function changeOf(content: Partial<DocumentRecord>, commit: OutboxCommit | undefined) {
  const missing = CONTENT_FIELDS.filter((field) => content[field] === undefined);
  return {
    $set: { ...content, ...(commit && { pending: true }) },
    ...(missing.length > 0 && { $unset: Object.fromEntries(missing.map((field) => [field, '' as const])) }),
    ...(commit && { $push: { outbox: commit }, $min: { pendingSince: commit.at } }),
  };
}

/** As JSON has it: no undefined, and nothing that the caller holds on to. */
const plain = <T extends Document>(document: T): T => JSON.parse(JSON.stringify(document)) as T;
