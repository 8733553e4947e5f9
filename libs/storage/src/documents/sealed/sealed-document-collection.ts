import type { NewEvent } from '@parlance/event-bus';
import { AppError } from '@parlance/platform';
import { keyRecordId } from '../../keys/key-records.js';
import type { DocumentKeys, FoundKey, KeyOwner } from '../../keys/wrapped-data-keys.js';
import type { Change, CollectionDefinition, Document, DocumentCollection, Insert, InsertOptions, Page, PagesQuery, Query, SealedDefinition, Stored, UpdateResult } from '../document-collection.js';
import { DocumentSchema } from '../document-schema.js';
import { everyPage } from '../every-page.js';
import { sealStored, type SealingCounts, type SealStoredOptions } from './seal-stored.js';
import type { OpenedEnvelope, SealedFields } from './sealed-fields.js';

export type SealedCollectionDefinition<T extends Document> = CollectionDefinition<T> & { sealed: SealedDefinition<T> };

interface SealedCollectionParts<T extends Document> {
  definition: SealedCollectionDefinition<T>;
  /** The collection without sealed fields and schema. */
  inner: DocumentCollection<Document>;
  fields: SealedFields<T>;
  /** Undefined without a provider: sealed documents cannot be read, and new ones are stored in clear. */
  keys: DocumentKeys | undefined;
}

/** Thrown within an update, which undoes nothing: the key has to be read first, and then the update begins anew. */
class KeyNotCached extends Error {
  constructor(readonly owner: KeyOwner, readonly isNew: boolean) {
    super('the key is not in memory');
  }
}

/** Documents whose sealed fields the database never has in clear. */
export class SealedDocumentCollection<T extends Document> implements DocumentCollection<T> {
  private readonly schema: DocumentSchema<T>;

  constructor(private readonly parts: SealedCollectionParts<T>) {
    this.schema = new DocumentSchema(parts.definition);
  }

  async insert(document: T, events?: readonly NewEvent[]): Promise<Stored<T>> {
    const { version } = await this.parts.inner.insert(await this.sealed(document), events);
    return writtenOf(document, version);
  }

  async insertIfAbsent(document: T, events?: readonly NewEvent[]): Promise<Stored<T> | undefined> {
    const stored = await this.parts.inner.insertIfAbsent(await this.sealed(document), events);
    return stored && writtenOf(document, stored.version);
  }

  async insertInOrder(inserts: readonly Insert<T>[], options?: InsertOptions): Promise<number> {
    // Keys that are made at the same time share the flushes of the disk.
    const sealed = await Promise.all(inserts.map(async ({ document, ...rest }) => ({ ...rest, document: await this.sealed(document) })));
    return this.parts.inner.insertInOrder(sealed, options);
  }

  async get(id: string): Promise<Stored<T> | undefined> {
    const stored = await this.parts.inner.get(id);
    return stored && (await this.opened([stored]))[0];
  }

  async replace(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T>> {
    const { version } = await this.parts.inner.replace(await this.sealed(document), expectedVersion, events);
    return writtenOf(document, version);
  }

  async replaceIf(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T> | undefined> {
    const stored = await this.parts.inner.replaceIf(await this.sealed(document), expectedVersion, events);
    return stored && writtenOf(document, stored.version);
  }

  remove(id: string, expectedVersion?: number): Promise<boolean> {
    return this.parts.inner.remove(id, expectedVersion);
  }

  removeWhere(where: NonNullable<Query['where']>): Promise<number> {
    return this.parts.inner.removeWhere(where);
  }

  async find(query?: Query): Promise<Page<T>> {
    const { items, nextCursor } = await this.parts.inner.find(query);
    return { items: await this.opened(items), nextCursor };
  }

  all(query: PagesQuery = {}): AsyncIterable<Stored<T>> {
    return everyPage(this, query);
  }

  count(where?: Query['where']): Promise<number> {
    return this.parts.inner.count(where);
  }

  sum(path: string, where?: Query['where']): Promise<number> {
    return this.parts.inner.sum(path, where);
  }

  /** The database reads and writes within one step, so that the keys have to be in memory: where one is not, it is read and the step repeated. */
  async update(id: string, change: Change<T>): Promise<UpdateResult<T>> {
    const found = new Map<string, FoundKey>();
    for (;;) {
      const step = new UpdateStep(this, found, change);
      const { stored, changed } = await this.parts.inner.update(id, (current) => step.change(current));
      if (!step.missing) return { stored: stored && step.after(stored.version), changed };
      await this.read(step.missing, found);
    }
  }

  /** Seals what is stored in clear, also the fields of sealed documents that the definition names since. @throws AppError keys_unavailable */
  sealStored(options: SealStoredOptions): Promise<SealingCounts> {
    const { inner, fields } = this.parts;
    const sealed = async (stored: Stored<Document>) => {
      const [opened] = await this.opened([stored]);
      return opened && this.hasOwner(opened.document) ? this.sealed(opened.document) : undefined;
    };
    return sealStored({ inner, hasClear: (stored) => fields.hasClear(stored), sealed }, options);
  }

  /** False for documents of versions that did not store the account. */
  private hasOwner(document: T): boolean {
    try {
      return this.parts.fields.ownerOf(document) !== undefined;
    } catch {
      return false;
    }
  }

  /** @throws KeyNotCached, AppError */
  openWith(stored: Document, found: ReadonlyMap<string, FoundKey>): { document: T; before?: OpenedEnvelope } | undefined {
    const owner = this.parts.fields.ownerIn(stored);
    if (!owner) return { document: this.schema.fromStored(stored) };
    const key = this.parts.keys?.cached(owner) ?? found.get(keyRecordId(owner.accountId, owner.holder));
    if (!key) throw new KeyNotCached(owner, false);
    if (key === 'destroyed') return undefined;
    const opened = this.parts.fields.open(stored, key);
    return { ...opened, document: this.schema.fromStored(opened.document) };
  }

  /** @param before of the document that is replaced. @throws KeyNotCached, AppError */
  sealWith(document: T, found: ReadonlyMap<string, FoundKey>, before: OpenedEnvelope | undefined): Document {
    const { fields, keys } = this.parts;
    const owner = keys && fields.ownerOf(document);
    const stored = this.schema.toStored(document);
    if (!owner) return stored;
    const key = keys.cached(owner) ?? found.get(keyRecordId(owner.accountId, owner.holder));
    if (!key || key === 'destroyed') throw new KeyNotCached(owner, true);
    return fields.seal(stored, owner, key, before);
  }

  private async sealed(document: T): Promise<Document> {
    const { keys, fields } = this.parts;
    const owner = keys && fields.ownerOf(document);
    if (!owner) return this.schema.toStored(document);
    return fields.seal(this.schema.toStored(document), owner, keys.cached(owner) ?? (await keys.of(owner.accountId, owner.holder)));
  }

  /** Leaves out documents whose key was destroyed. */
  private async opened(stored: readonly Stored<Document>[]): Promise<Stored<T>[]> {
    const owners = stored.flatMap(({ document }) => this.parts.fields.ownerIn(document) ?? []);
    const found = owners.length > 0 ? await this.keys.lookup(owners) : new Map<string, FoundKey>();
    return stored.flatMap(({ document, version }) => {
      const owner = this.parts.fields.ownerIn(document);
      if (owner && !found.has(keyRecordId(owner.accountId, owner.holder))) throw keyMissing(owner);
      const opened = this.openWith(document, found);
      return opened ? [{ document: opened.document, version }] : [];
    });
  }

  private async read({ owner, isNew }: KeyNotCached, found: Map<string, FoundKey>): Promise<void> {
    const id = keyRecordId(owner.accountId, owner.holder);
    const key = isNew ? await this.keys.of(owner.accountId, owner.holder) : (await this.keys.lookup([owner])).get(id);
    if (!key) throw keyMissing(owner);
    found.set(id, key);
  }

  /** @throws AppError */
  private get keys(): DocumentKeys {
    if (this.parts.keys) return this.parts.keys;
    throw new AppError({ kind: 'unavailable', code: 'keys_unavailable', message: `Documents in ${this.parts.definition.name} are sealed, and KEY_PROVIDER is not set.` });
  }
}

/** One try of an update. The database may call `change` more than once. */
class UpdateStep<T extends Document> {
  missing: KeyNotCached | undefined;
  private document: string | undefined;

  constructor(
    private readonly collection: SealedDocumentCollection<T>,
    private readonly found: ReadonlyMap<string, FoundKey>,
    private readonly apply: Change<T>,
  ) {}

  change(stored: Document | undefined): ReturnType<Change<Document>> {
    this.missing = undefined;
    this.document = undefined;
    try {
      return this.changed(stored);
    } catch (error) {
      if (!(error instanceof KeyNotCached)) throw error;
      this.missing = error;
      return undefined;
    }
  }

  after(version: number): Stored<T> | undefined {
    return this.document === undefined ? undefined : { document: JSON.parse(this.document) as T, version };
  }

  private changed(stored: Document | undefined): ReturnType<Change<Document>> {
    const opened = stored && this.collection.openWith(stored, this.found);
    if (stored && !opened) return undefined;
    const { document: current, before } = opened ?? {};
    if (current) this.document = JSON.stringify(current);
    const changed = this.apply(current);
    if (!changed) return undefined;
    this.document = JSON.stringify(changed.document);
    return { ...changed, document: this.collection.sealWith(changed.document, this.found, before) };
  }
}

/** As the database gives a document back: plain JSON that the caller's later changes do not reach. */
function writtenOf<T extends Document>(document: T, version: number): Stored<T> {
  const json = JSON.stringify(document);
  let copy: T | undefined;
  return {
    get document() {
      return (copy ??= JSON.parse(json) as T);
    },
    version,
  };
}

const keyMissing = ({ accountId, holder }: KeyOwner) =>
  new AppError({ kind: 'unavailable', code: 'keys_unavailable', message: `The key of ${holder || accountId} is missing in the database of keys.`, retryable: false });
