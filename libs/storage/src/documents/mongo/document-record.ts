import { Schema } from 'mongoose';
import type { CollectionDefinition, Document, Stored } from '../document-collection.js';
import { isWildcard, valueAt, wildcardParent } from '../field-paths.js';
import { attributeName, collectionIndexes, uniqueName } from './collection-indexes.js';
import { escapeFieldNames, unescapeFieldNames } from './field-names.js';

/** Events of one write, until the relay has published them. */
export interface OutboxCommit {
  /** The id of its first event. */
  ref: string;
  /** RFC 3339 UTC. */
  at: string;
  /** The process that wrote it, and relays it as long as it lives. */
  by: string;
  /** JSON text of EventJson[]: names of fields in events need no escape so, and nothing looks into them here. */
  events: string;
}

/** The part of a record that comes from the document alone. */
interface RecordContent {
  /** As it is, but for names of fields that MongoDB does not take. */
  document: Document;
  /** Present when names were changed. */
  escaped?: true;
  /** For each wildcard of the definition: its parent's pairs, each as the JSON text `["key","value"]`. */
  attributes?: Record<string, string[]>;
  /** For each unique index of the definition whose fields the document has: their values as JSON text. */
  unique?: Record<string, string>;
  expiresAt?: Date;
}

/** A document with its version and outbox: whatever a write changes is in here, so that a write is one operation. */
export interface DocumentRecord extends Partial<RecordContent> {
  _id: string;
  version?: number;
  /** The id of the write that made this version, so that a write which the driver repeated recognizes its own. */
  write?: number;
  /** Written by earlier versions; nothing reads it. */
  inbox?: readonly string[];
  outbox: OutboxCommit[];
  /** True when the outbox contains a commit, or did until just now; the index of the outbox uses it. */
  pending: boolean;
  /** No later than the oldest commit in the outbox. */
  pendingSince?: string;
  /** Set when the document was removed before its events were relayed: only its outbox is left. */
  removed?: true;
}

export type VersionedRecord = Pick<DocumentRecord, '_id' | 'escaped'> & { document: Document; version: number };

/**
 * The schema of the envelope. What is in `document` is the service's, and typed there.
 * Indexes are declared here and created by ensureIndexes only.
 */
export function recordSchema<T extends Document>(definition: CollectionDefinition<T>): Schema<DocumentRecord> {
  const commit = new Schema<OutboxCommit>({ ref: String, at: String, by: String, events: String }, { _id: false });
  const schema = new Schema<DocumentRecord>(
    {
      _id: String,
      version: Number,
      write: Number,
      document: Schema.Types.Mixed,
      escaped: Boolean,
      attributes: Schema.Types.Mixed,
      unique: Schema.Types.Mixed,
      outbox: [commit],
      pending: Boolean,
      pendingSince: String,
      removed: Boolean,
      expiresAt: Date,
    },
    { collection: definition.name, autoIndex: false, autoCreate: false, versionKey: false, minimize: false, strict: 'throw', bufferCommands: false },
  );
  for (const { key, ...options } of collectionIndexes(definition)) schema.index(key, options);
  return schema;
}

/** @param json the document as plain JSON */
export function recordContent<T extends Document>({ indexes, expires }: CollectionDefinition<T>, json: Document): RecordContent {
  const { value, changed } = escapeFieldNames(json);
  const parents = new Set(indexes.flatMap(({ fields }) => fields.filter(isWildcard).map(wildcardParent)));
  const expiresAt = expires && new Date(Date.parse(String(valueAt(json, expires.field))) + expires.afterSeconds * 1000);
  return {
    document: value as Document,
    ...(changed && { escaped: true }),
    ...(parents.size > 0 && { attributes: Object.fromEntries([...parents].map((parent) => [attributeName(parent), attributesOf(valueAt(json, parent))])) }),
    ...(indexes.some(({ unique }) => unique) && { unique: uniqueValues(indexes, json) }),
    ...(expiresAt && !Number.isNaN(expiresAt.getTime()) && { expiresAt }),
  };
}

export const CONTENT_FIELDS = ['document', 'escaped', 'attributes', 'unique', 'expiresAt'] as const satisfies readonly (keyof RecordContent)[];

export const storedOf = <T extends Document>({ document, escaped, version }: Pick<VersionedRecord, 'document' | 'escaped' | 'version'>): Stored<T> => ({
  document: (escaped ? unescapeFieldNames(document) : document) as T,
  version,
});

export const attributeText = (key: string, value: unknown): string => JSON.stringify([key, value]);

function attributesOf(parent: unknown): string[] {
  if (typeof parent !== 'object' || parent === null) return [];
  return Object.entries(parent)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([key, value]) => attributeText(key, value));
}

function uniqueValues(indexes: CollectionDefinition<Document>['indexes'], json: Document): Record<string, string> {
  const values = indexes.filter(({ unique }) => unique).map(({ fields }) => [uniqueName(fields), fields.map((path) => valueAt(json, path))] as const);
  return Object.fromEntries(values.filter(([, some]) => some.every((value) => value !== undefined && value !== null)).map(([name, some]) => [name, JSON.stringify(some)]));
}
