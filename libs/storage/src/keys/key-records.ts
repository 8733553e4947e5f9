import type { Clock } from '@parlance/platform';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '../documents/document-collection.js';

/** A wrapped key as it is stored. */
export interface KeyRecord {
  /** As `keyRecordId` gives it. */
  id: string;
  /** Identifies the key among those that the holder had. */
  keyId: string;
  /** An account's key is wrapped by the provider, any other by the key of its account. */
  wrapped: string;
  /** The account's key before the rotation that runs: it wrapped those data keys that are not rewrapped yet. */
  previous?: string | undefined;
}

/** The state of a key: its record, or that it was destroyed. */
export type KeyState = KeyRecord | 'destroyed';

/** The store of wrapped keys. It never gets a clear key. */
export interface KeyRecords {
  /** @returns the keys by id, without those that were never made */
  find(ids: readonly string[]): Promise<Map<string, KeyState>>;
  /** Stores the key unless there is one already, or was. @returns what is stored now */
  add(record: KeyRecord): Promise<KeyState>;
  /** Removes the key for good, also one that is made later. It can be repeated. */
  destroy(id: string): Promise<void>;
}

/** The id of an account's own wrapping key, or of the data key of a holder. Ids of accounts and holders contain no slash. */
export const keyRecordId = (accountId: string, holder?: string): string => (holder === undefined ? accountId : `${accountId}/${holder}`);

export interface StoredKey extends Document {
  keyId: string;
  wrapped: string;
  previous?: string;
  /** The time when the key of an account was last replaced. */
  rotatedAt?: string;
}

export const KEYS: CollectionDefinition<StoredKey> = { name: 'keys', indexes: [] };
/** The tombstones of destroyed keys, so that no copy of a key comes back and no new one takes its place. */
const DESTROYED: CollectionDefinition<Document> = { name: 'destroyed_keys', indexes: [] };

/** Wrapped keys in a database of their own, which is in no backup of the documents that they seal. */
export class DocumentKeyRecords implements KeyRecords {
  private readonly keys: DocumentCollection<StoredKey>;
  private readonly destroyed: DocumentCollection<Document>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.keys = documents.collection(KEYS);
    this.destroyed = documents.collection(DESTROYED);
  }

  async find(ids: readonly string[]): Promise<Map<string, KeyState>> {
    const states = await Promise.all(ids.map(async (id) => [id, await this.state(id)] as const));
    return new Map(states.flatMap(([id, state]) => (state ? [[id, state]] : [])));
  }

  /** Stores first and looks for the tombstone then; `destroy` writes its tombstone first and removes then. At least one sees the other. */
  async add(record: KeyRecord): Promise<KeyState> {
    const { id, keyId, wrapped } = record;
    const added = await this.keys.insertIfAbsent({ id, createdAt: this.now(), keyId, wrapped });
    if (await this.destroyed.get(id)) {
      await this.keys.remove(id);
      return 'destroyed';
    }
    return added ? record : ((await this.state(id)) ?? 'destroyed');
  }

  async destroy(id: string): Promise<void> {
    await this.destroyed.insertIfAbsent({ id, createdAt: this.now() });
    await this.keys.remove(id);
  }

  private async state(id: string): Promise<KeyState | undefined> {
    const stored = (await this.keys.get(id))?.document;
    if (stored) return { id, keyId: stored.keyId, wrapped: stored.wrapped, previous: stored.previous };
    return (await this.destroyed.get(id)) ? 'destroyed' : undefined;
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
