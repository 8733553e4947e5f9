import { AppError } from '@parlance/platform';
import type { CollectionDefinition, Document } from './document-collection.js';

/** A field of the stored form only, absent in documents of version 1. */
const FIELD = 'schemaVersion';

type StoredForm = Document & { [FIELD]?: number };

/** Between documents as services know them and as they are stored: with the version of their form, which a newer version of Parlance may have raised. */
export class DocumentSchema<T extends Document> {
  private readonly current: number;

  constructor(private readonly definition: Pick<CollectionDefinition<T>, 'name' | 'schema' | 'isStoredForm'>) {
    this.current = definition.schema?.version ?? 1;
  }

  toStored(document: T): Document {
    return this.current === 1 ? document : { ...document, [FIELD]: this.current };
  }

  /** @throws AppError internal/newer_document when a newer version of Parlance has written it */
  fromStored(stored: Document): T {
    if (this.definition.isStoredForm) return stored as T;
    const { [FIELD]: version = 1 } = stored as StoredForm;
    if (version === this.current) return this.current === 1 ? (stored as T) : (withoutVersion(stored) as T);
    if (version > this.current || !this.definition.schema) throw this.newer(stored.id, version);
    return this.definition.schema.upgrade(withoutVersion(stored), version);
  }

  private newer(id: string, version: number): AppError {
    const { name } = this.definition;
    const message = `${id} in ${name} was written by a newer version of Parlance (schema ${version}; this version supports ${this.current}).`;
    return new AppError({ kind: 'internal', code: 'newer_document', message });
  }
}

function withoutVersion(stored: StoredForm): Document {
  const { [FIELD]: _, ...document } = stored;
  return document;
}
