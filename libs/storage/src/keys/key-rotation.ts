import type { Clock } from '@parlance/platform';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase, Stored } from '../documents/document-collection.js';
import { newKey, openBytes, sealBytes } from './aead.js';
import { KEYS, type StoredKey } from './key-records.js';
import { MASTER_KEY_CHECK } from './master-key-check.js';
import type { KeyProvider } from './provider/key-provider.js';
import { wrongKey } from './provider/keys-unavailable.js';
import { contextOf, KEY_CACHE_MS, newId } from './wrapped-data-keys.js';

/** The rotation that runs. It is removed when the rotation is complete. */
interface Rotation extends Document {
  /** True once the new version of the master key exists. */
  hasMasterKey: boolean;
  /** The time when every account had its new key. */
  accountsDoneAt?: string;
}

const ROTATIONS: CollectionDefinition<Rotation> = { name: 'rotations', indexes: [] };
const ROTATION = 'rotation';

/**
 * Milliseconds after which no process wraps with the previous key of an account any more: the time that keys stay in memory, and
 * as much again for calls that are under way and for clocks that differ between the machines that rotate.
 */
export const ROTATION_SETTLE_MS = 2 * KEY_CACHE_MS;

const PAGE = 500;

/** The number of stored keys, and the progress of a rotation. */
export interface RotationStatus {
  /** Names the place of the master key. */
  masterKey: string;
  accountKeys: number;
  dataKeys: number;
  /** Keys of accounts that an older version of the master key wraps. */
  onOldMasterKey: number;
  /** Accounts whose previous key is still kept. */
  withPreviousKey: number;
  /** The time when the unfinished rotation began. */
  startedAt: string | undefined;
  /** The time from which another run removes the previous keys. */
  finishableAt: string | undefined;
}

/** The changes of one run. */
interface RotationResult {
  accountKeys: number;
  dataKeys: number;
  /** True when no previous key is left. */
  isComplete: boolean;
}

interface KeyRotationParts {
  /** The database of wrapped keys. Its writes need not survive a power cut one by one, but in order. */
  documents: DocumentDatabase;
  provider: KeyProvider;
  clock: Clock;
}

interface AccountPair {
  key: Buffer;
  previous: Buffer | undefined;
}

/**
 * Replaces the master key and the keys of accounts, and rewraps what they wrap, while other processes read and make keys. A run
 * that was interrupted is repeated: each record is changed in one write, and a changed one is passed over.
 */
export class KeyRotation {
  private readonly keys: DocumentCollection<StoredKey>;
  private readonly rotations: DocumentCollection<Rotation>;

  constructor(private readonly parts: KeyRotationParts) {
    this.keys = parts.documents.collection(KEYS);
    this.rotations = parts.documents.collection(ROTATIONS);
  }

  /**
   * Begins a rotation, or continues the one that is unfinished. Previous keys of accounts are removed by a run that comes
   * `ROTATION_SETTLE_MS` after all accounts have new ones.
   *
   * @param keepMasterKey makes no new version of the master key: its newest one wraps
   */
  async run({ keepMasterKey = false }: { keepMasterKey?: boolean } = {}): Promise<RotationResult> {
    const rotation = await this.begun(keepMasterKey);
    const accountKeys = await this.changeEach(isAccountKey, (stored) => this.rotateAccount(stored, rotation));
    const doneAt = rotation.accountsDoneAt ?? (await this.accountsDone(rotation.createdAt));
    const accounts = new Map<string, Promise<AccountPair | undefined>>();
    const dataKeys = await this.changeEach(isDataKey, (stored) => this.rewrap(stored, accounts));
    const isComplete = Date.parse(doneAt) + ROTATION_SETTLE_MS <= this.parts.clock.now().getTime();
    if (isComplete) {
      await this.changeEach(isAccountKey, async ({ previous, ...rest }) => (previous === undefined ? undefined : rest));
      await this.rotations.remove(ROTATION);
    }
    return { accountKeys, dataKeys, isComplete };
  }

  async status(): Promise<RotationStatus> {
    const rotation = (await this.rotations.get(ROTATION))?.document;
    const status = { accountKeys: 0, dataKeys: 0, onOldMasterKey: 0, withPreviousKey: 0 };
    for await (const { document } of this.keys.all({ direction: 'ascending', pageSize: PAGE })) {
      if (isDataKey(document)) status.dataKeys += 1;
      if (!isAccountKey(document)) continue;
      if (document.id !== MASTER_KEY_CHECK) status.accountKeys += 1;
      if (!(await this.parts.provider.isNewest(document.wrapped))) status.onOldMasterKey += 1;
      if (document.previous !== undefined) status.withPreviousKey += 1;
    }
    const doneAt = rotation?.accountsDoneAt;
    return { masterKey: this.parts.provider.describe(), ...status, startedAt: rotation?.createdAt, finishableAt: doneAt && new Date(Date.parse(doneAt) + ROTATION_SETTLE_MS).toISOString() };
  }

  private async begun(keepMasterKey: boolean): Promise<Rotation> {
    await this.rotations.insertIfAbsent({ id: ROTATION, createdAt: this.now(), hasMasterKey: keepMasterKey });
    const rotation = await this.rotations.get(ROTATION);
    if (!rotation) throw wrongKey('Another process has just completed the rotation.');
    if (rotation.document.hasMasterKey) return rotation.document;
    await this.parts.provider.rotate();
    return (await this.rotations.replace({ ...rotation.document, hasMasterKey: true }, rotation.version)).document;
  }

  /** Not earlier than the begin, by a clock that is behind. */
  private async accountsDone(createdAt: string): Promise<string> {
    const now = this.now();
    const accountsDoneAt = now > createdAt ? now : createdAt;
    await this.rotations.update(ROTATION, (current) => current && { document: { ...current, accountsDoneAt: current.accountsDoneAt ?? accountsDoneAt } });
    return accountsDoneAt;
  }

  /** @returns the number of keys that were changed. Pages of them are changed at once, so that they share commits. */
  private async changeEach(isOf: (stored: StoredKey) => boolean, change: (stored: StoredKey) => Promise<StoredKey | undefined>): Promise<number> {
    let changed = 0;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.keys.find({ direction: 'ascending', limit: PAGE, ...(cursor !== undefined && { cursor }) });
      const results = await Promise.all(page.items.filter(({ document }) => isOf(document)).map((stored) => this.changeOne(stored, change)));
      changed += results.filter(Boolean).length;
      cursor = page.nextCursor;
    }
    return changed;
  }

  /** A key that was destroyed meanwhile stays destroyed. */
  private async changeOne({ document, version }: Stored<StoredKey>, change: (stored: StoredKey) => Promise<StoredKey | undefined>): Promise<boolean> {
    const changed = await change(document);
    return changed !== undefined && (await this.keys.replaceIf(changed, version)) !== undefined;
  }

  /**
   * An account that has a previous key gets no other one: keys that it wraps may be left. The times alone do not tell, because the
   * clock of the machine that continues a rotation can be behind the clock of the one that began it.
   */
  private async rotateAccount(stored: StoredKey, { createdAt, accountsDoneAt }: Rotation): Promise<StoredKey | undefined> {
    const { provider } = this.parts;
    const { id, wrapped } = stored;
    const context = id === MASTER_KEY_CHECK ? id : contextOf(id);
    const isRotated = accountsDoneAt !== undefined || stored.previous !== undefined || (stored.rotatedAt ?? stored.createdAt) >= createdAt;
    const isNew = id === MASTER_KEY_CHECK || isRotated;
    if (isNew && (await provider.isNewest(wrapped))) return undefined;
    const rewrapped = await provider.wrap(await provider.unwrap(wrapped, context), context);
    if (isNew) return { ...stored, wrapped: rewrapped };
    return { ...stored, keyId: newId(), wrapped: await provider.wrap(newKey(), context), previous: rewrapped, rotatedAt: this.now() };
  }

  private async rewrap(stored: StoredKey, accounts: Map<string, Promise<AccountPair | undefined>>): Promise<StoredKey | undefined> {
    const { id, wrapped } = stored;
    const accountId = id.slice(0, id.indexOf('/'));
    const pair = accounts.get(accountId) ?? this.accountPair(accountId);
    accounts.set(accountId, pair);
    const account = await pair;
    if (!account?.previous || openBytes(account.key, wrapped, id)) return undefined;
    const key = openBytes(account.previous, wrapped, id);
    if (!key) throw wrongKey(`The key ${id} was not wrapped by the key of its account.`);
    return { ...stored, wrapped: sealBytes(account.key, key, id) };
  }

  /** @returns undefined when the account's key was destroyed */
  private async accountPair(id: string): Promise<AccountPair | undefined> {
    const stored = (await this.keys.get(id))?.document;
    if (!stored) return undefined;
    const unwrap = (wrapped: string) => this.parts.provider.unwrap(wrapped, contextOf(id));
    return { key: await unwrap(stored.wrapped), previous: stored.previous === undefined ? undefined : await unwrap(stored.previous) };
  }

  private now(): string {
    return this.parts.clock.now().toISOString();
  }
}

const isDataKey = ({ id }: StoredKey): boolean => id.includes('/');
const isAccountKey = (stored: StoredKey): boolean => !isDataKey(stored);
