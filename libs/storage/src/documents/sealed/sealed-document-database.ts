import type { DocumentKeys } from '../../keys/wrapped-data-keys.js';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase, IndexOptions, IndexReport, OutboxSource } from '../document-collection.js';
import { SealedDocumentCollection, type SealedCollectionDefinition } from './sealed-document-collection.js';
import type { SealingCounts, SealStoredOptions } from './seal-stored.js';
import { SealedFields } from './sealed-fields.js';

/** A database whose collections seal the fields that their definitions name. */
export class SealedDocumentDatabase implements DocumentDatabase {
  readonly outbox: OutboxSource;
  readonly ofAccounts: DocumentDatabase['ofAccounts'];
  private readonly sealed = new Map<string, { inner: unknown; collection: Pick<SealedDocumentCollection<Document>, 'sealStored'> }>();

  constructor(
    private readonly inner: DocumentDatabase,
    private readonly service: string,
    private readonly keys: DocumentKeys | undefined,
  ) {
    this.outbox = inner.outbox;
    this.ofAccounts = inner.ofAccounts;
  }

  collection<T extends Document>(definition: CollectionDefinition<T>): DocumentCollection<T> {
    if (!isSealed(definition)) return this.inner.collection(definition);
    const { sealed: _sealed, schema, example: _example, ...plain } = definition;
    const inner = this.inner.collection<Document>({ ...plain, ...(schema && { isStoredForm: true }) });
    const known = this.sealed.get(definition.name);
    if (known?.inner === inner) return known.collection as unknown as DocumentCollection<T>;
    const collection = new SealedDocumentCollection<T>({ definition, inner, fields: new SealedFields(definition, this.service), keys: this.keys });
    this.sealed.set(definition.name, { inner, collection });
    return collection;
  }

  /** Seals what is stored in clear of the collections that were declared so far, one after the other. @throws AppError keys_unavailable */
  async *sealStored(options: SealStoredOptions = {}): AsyncGenerator<SealingCounts & { collection: string }> {
    for (const [name, { collection }] of this.sealed) yield { collection: name, ...(await collection.sealStored(options)) };
  }

  ensureIndexes(options?: IndexOptions): Promise<IndexReport> {
    return this.inner.ensureIndexes(options);
  }

  flush(): Promise<void> {
    return this.inner.flush();
  }

  check(): Promise<void> {
    return this.inner.check();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

const isSealed = <T extends Document>(definition: CollectionDefinition<T>): definition is SealedCollectionDefinition<T> => definition.sealed !== undefined;
