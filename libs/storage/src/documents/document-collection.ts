import type { NewEvent, OutboxSource, PendingEvents } from '@parlance/event-bus';

/** Plain JSON with an id; times are RFC 3339 UTC strings with milliseconds, which sort as text. */
export interface Document {
  id: string;
  createdAt: string;
}

export interface Stored<T extends Document> {
  document: T;
  /** 1 on insert, one more with every replace. */
  version: number;
}

export interface IndexDefinition {
  fields: readonly string[];
  orderBy?: string;
  unique?: boolean;
  /** Not of a unique one: documents with these values alone are in it, and it serves queries that ask for the same. Others cost nothing. */
  only?: Readonly<Record<string, string>>;
}

/** The paths that a query may filter and order by, such as `accountId`, `metadata.*` (any key below) or `words[]` (a list of words, by their beginnings). */
export interface CollectionDefinition<T extends Document> {
  /** snake_case, unique within the database. */
  name: string;
  /** Its row in the map of stored data. Every collection of a service has one; `npm run generate` fails without. */
  data?: DataHeld;
  /**
   * The way in which a document belongs to an account as a whole, so that it is removed with the account: by its id, or by the
   * indexed field `accountId`. Absent: it goes with a job, has no account, or stays.
   */
  account?: 'id' | 'accountId';
  /** Each index serves equality on its fields, in this order, then the order of `createdAt` and id, or of `orderBy`. */
  indexes: readonly IndexDefinition[];
  /**
   * A fallback for the service's own removal, where the server supports it: documents may be removed without an event once
   * `field` (RFC 3339 UTC) is that long ago and their events are relayed.
   */
  expires?: { field: string; afterSeconds: number };
  /**
   * The version of the stored form; default 1. Raise it with a change that older code cannot read. A document of an older
   * version goes through `upgrade` whenever it is read, and is stored in the new form with its next write; until then queries
   * find it by its older form. `upgrade` must keep id, createdAt and the fields that pages are ordered by. A document of a
   * newer version is refused: newer_document.
   */
  schema?: { version: number; upgrade: (document: Document, from: number) => T };
  /** True where the caller reads and writes the stored form, whatever its version. */
  isStoredForm?: true;
  /**
   * Fields that are encrypted in the database. No query can filter or order by them. A document whose key was destroyed is as one that
   * was removed: reads do not find it and updates leave it; only `remove`, `removeWhere` and `count` meet it.
   */
  sealed?: SealedDefinition<T>;
  /** Only for the type. */
  readonly example?: T;
}

/** Describes stored data to operators: docs/privacy/data-map.md. */
interface DataHeld {
  what: string;
  purpose: string;
  /** The time that it is kept. `with the job`: until the job is deleted or its retention ends. */
  kept: string;
  /** Others that get it, and the settings that make it so. Absent: none. */
  recipients?: string;
}

export interface SealedDefinition<T extends Document> {
  /** Names of the document's own fields, each sealed with all that is in it. */
  fields: readonly string[];
  /** The account and the holder (a job or an upload by its id, '' for the account) whose key seals the document. */
  owner(document: T): { accountId: string; holder: string };
  /** Keeps the text that each of the latest keys opened last in memory with the key: for documents that are read again and again. */
  keepsOpened?: boolean;
}

export interface Query {
  /** Equality on indexed paths. A value of undefined is no condition; `words[]: 'bud li'` finds lists with a word that begins with each of the two. */
  where?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Bounds on one path: `createdAt`, or the `orderBy` of an index. Inclusive `gte`, exclusive `lt`. */
  range?: { field: string; gte?: string | number; lt?: string | number };
  /** Default `createdAt`; ties are broken by id. Documents without the field are not found. */
  orderBy?: string;
  /** Default `descending`, newest first. */
  direction?: 'ascending' | 'descending';
  /** Default 20. */
  limit?: number;
  /** Opaque, from the page before; stable while documents are added. @throws AppError invalid_cursor */
  cursor?: string;
}

/** All documents of a query, whatever their number. */
export interface PagesQuery extends Omit<Query, 'limit' | 'cursor'> {
  /** Documents that are read at once; default 200. */
  pageSize?: number;
}

export interface Page<T extends Document> {
  items: Stored<T>[];
  nextCursor: string | null;
}

/**
 * Documents of one kind. Every write of a document is one commit with the events in its outbox;
 * nothing here needs a transaction over several documents.
 */
export interface DocumentCollection<T extends Document> {
  /** @throws AppError conflict/duplicate when the id or a unique index exists. */
  insert(document: T, events?: readonly NewEvent[]): Promise<Stored<T>>;
  /** @returns undefined when the id or a unique index exists; then nothing is stored and no event published. */
  insertIfAbsent(document: T, events?: readonly NewEvent[]): Promise<Stored<T> | undefined>;
  /** As by `insert`, one after the other, up to the first that the id or a unique index has already. @returns how many are stored now. */
  insertInOrder(inserts: readonly Insert<T>[], options?: InsertOptions): Promise<number>;
  get(id: string): Promise<Stored<T> | undefined>;
  /** @throws AppError conflict/version_conflict when another write came first, or the document is gone. */
  replace(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T>>;
  /** @returns undefined when another write came first, or the document is gone. */
  replaceIf(document: T, expectedVersion: number, events?: readonly NewEvent[]): Promise<Stored<T> | undefined>;
  /** With a version: @throws AppError conflict/version_conflict. Events not yet relayed are kept and relayed. @returns whether it existed. */
  remove(id: string, expectedVersion?: number): Promise<boolean>;
  /** Removes all that match the equality. @returns the number of removed documents */
  removeWhere(where: NonNullable<Query['where']>): Promise<number>;
  find(query?: Query): Promise<Page<T>>;
  /** Everything that matches, a page at a time, so that it may be removed or changed on the way. Documents added meanwhile may be among it. */
  all(query?: PagesQuery): AsyncIterable<Stored<T>>;
  count(where?: Query['where']): Promise<number>;
  /** The sum of a number that an index is ordered by, of the documents that have it. */
  sum(path: string, where?: Query['where']): Promise<number>;
  /**
   * Reads, changes and writes with optimistic concurrency, again when another write came first.
   * `change` gets undefined when there is no document (returning one inserts it) and returns undefined to leave all as it is.
   * @returns the document afterwards, and whether this call changed it.
   */
  update(id: string, change: Change<T>): Promise<UpdateResult<T>>;
}

export interface Insert<T extends Document> {
  document: T;
  events?: readonly NewEvent[];
}

export interface InsertOptions {
  /**
   * `soon`: an embedded store acknowledges what the death of the process does not undo, and has it on the disk within 100 ms, or with the
   * next `flush`. A server acknowledges as always. Default: `now`.
   */
  flush?: 'now' | 'soon';
}

export type Change<T extends Document> = (current: T | undefined) => { document: T; events?: readonly NewEvent[] } | undefined;

export interface UpdateResult<T extends Document> {
  stored: Stored<T> | undefined;
  changed: boolean;
}

export interface IndexOptions {
  dropUnused?: boolean;
  /** Reports what it would do without doing it. */
  dryRun?: boolean;
}

/** Indexes as `<collection>.<index>`. */
export interface IndexReport {
  created: string[];
  unused: string[];
}

/** The documents of accounts in one database: those of the collections whose definition names their account. */
export interface AccountDocuments {
  /** The number of documents by collection, without those that have none. */
  count(accountId: string): Promise<Map<string, number>>;
  /** May be repeated. */
  remove(accountId: string): Promise<void>;
}

/** One service's own database. */
export interface DocumentDatabase {
  /** Declares the collection, with its indexes, on first use. */
  collection<T extends Document>(definition: CollectionDefinition<T>): DocumentCollection<T>;
  readonly outbox: OutboxSource;
  /** The documents of accounts in the collections that were declared so far. */
  readonly ofAccounts: AccountDocuments;
  /**
   * Creates what indexes the collections declared so far lack, where declaring them does not: on a server, this is an
   * operator's command and not a matter of each start. Indexes that no definition has any more are reported, and dropped on request,
   * which is safe once no process of an older version runs.
   */
  ensureIndexes(options?: IndexOptions): Promise<IndexReport>;
  /** Resolves once every acknowledged write is on the disk, also those that were to be flushed soon. @throws AppError storage_failed */
  flush(): Promise<void>;
  check(): Promise<void>;
  close(): Promise<void>;
}

export type { OutboxSource, PendingEvents };
