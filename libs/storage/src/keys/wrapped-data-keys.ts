import { randomBytes } from 'node:crypto';
import { AppError, type Clock } from '@parlance/platform';
import { newKey, openBytes, sealBytes } from './aead.js';
import type { DataKey, DataKeys } from './data-keys.js';
import { keyRecordId, type KeyRecord, type KeyRecords, type KeyState } from './key-records.js';
import { RecordDestroyer } from './record-destroyer.js';
import type { KeyProvider } from './provider/key-provider.js';
import { wrongKey } from './provider/keys-unavailable.js';

/** The account and the holder that a key belongs to. */
export interface KeyOwner {
  accountId: string;
  holder: string;
}

/** The result of a search for a key that was made once. */
export type FoundKey = DataKey | 'destroyed';

/** The keys as documents need them: many at once, and from memory within a write. */
export interface DocumentKeys extends DataKeys {
  /** Returns the key from memory, if it is there. */
  cached(owner: KeyOwner): DataKey | undefined;
  /** @returns the keys by `keyRecordId`, without those that were never made. @throws AppError unavailable/keys_unavailable */
  lookup(owners: readonly KeyOwner[]): Promise<Map<string, FoundKey>>;
}

/** Clear keys of one account, which leave the memory together. */
interface AccountKeys {
  /** Identifies the account's key, which a rotation replaces. */
  id: string;
  key: Buffer;
  /** The account's key before the rotation that runs. */
  previous: Buffer | undefined;
  /** Milliseconds. */
  expiresAt: number;
  byHolder: Map<string, DataKey>;
}

/** The stored keys of an account and a holder, and how many keys this process had destroyed before it read them. */
interface ReadStates {
  account: KeyState | undefined;
  key: KeyState | undefined;
  destructions: number;
}

/** Milliseconds that clear keys stay in memory at most, and are used while the provider is away. */
export const KEY_CACHE_MS = 5 * 60_000;
/** Keys of one account in memory; above it they are read again. */
const MAX_CACHED = 10_000;
const ID_BYTES = 9;

interface WrappedDataKeysParts {
  records: KeyRecords;
  provider: KeyProvider;
  clock: Clock;
  /** Milliseconds that clear keys stay in memory, from 1 to `KEY_CACHE_MS`, which is the default. */
  cacheMs?: number | undefined;
}

class WrappedByOther extends AppError {
  constructor(id: string) {
    super({ kind: 'unavailable', code: 'keys_unavailable', message: `The key ${id} was not wrapped by the key of its account.`, retryable: false });
  }
}

/** Keys in three levels: the provider's master key wraps a key for each account, which wraps the data keys of its jobs and uploads. */
export class WrappedDataKeys implements DocumentKeys {
  private readonly accounts = new Map<string, AccountKeys>();
  /** Keys of accounts that the provider is unwrapping, by account and id of the key. */
  private readonly unwrapping = new Map<string, Promise<AccountKeys>>();
  /** Keys of accounts, and of holders, that are read or made at the moment: callers at the same time share the work. */
  private readonly openingAccounts = new Map<string, Promise<AccountKeys>>();
  private readonly opening = new Map<string, Promise<DataKey>>();
  /** Counts `destroy`: a key that was read before one may be the destroyed one, and is not kept in memory. */
  private destructions = 0;
  private readonly cacheMs: number;

  constructor(private readonly parts: WrappedDataKeysParts) {
    this.cacheMs = Math.min(parts.cacheMs ?? KEY_CACHE_MS, KEY_CACHE_MS);
  }

  cached({ accountId, holder }: KeyOwner): DataKey | undefined {
    return this.account(accountId)?.byHolder.get(holder);
  }

  async lookup(owners: readonly KeyOwner[]): Promise<Map<string, FoundKey>> {
    const found = new Map<string, FoundKey>();
    const missing = new Map<string, KeyOwner>();
    for (const owner of owners) {
      const id = idOf(owner);
      const key = this.cached(owner);
      if (key) found.set(id, key);
      else missing.set(id, owner);
    }
    if (missing.size === 0) return found;
    try {
      return new Map([...found, ...(await this.read(missing))]);
    } catch (error) {
      if (!(error instanceof WrappedByOther)) throw error;
      // A rotation replaced the account's key between the reads of the two records.
      return new Map([...found, ...(await this.read(missing))]);
    }
  }

  private async read(missing: ReadonlyMap<string, KeyOwner>): Promise<Map<string, FoundKey>> {
    const found = new Map<string, FoundKey>();
    const accountIds = new Set([...missing.values()].map(({ accountId }) => accountId));
    const { destructions } = this;
    const states = await this.parts.records.find([...accountIds, ...missing.keys()]);
    for (const [id, owner] of missing) {
      const key = await this.unwrapped(owner, { account: states.get(owner.accountId), key: states.get(id), destructions });
      if (key) found.set(id, key);
    }
    return found;
  }

  async find(accountId: string, holder: string): Promise<DataKey | undefined> {
    const owner = { accountId, holder };
    const found = (await this.lookup([owner])).get(idOf(owner));
    if (found === 'destroyed') throw destroyed();
    return found;
  }

  async of(accountId: string, holder: string): Promise<DataKey> {
    const owner = { accountId, holder };
    return this.cached(owner) ?? this.shared(this.opening, idOf(owner), async () => (await this.find(accountId, holder)) ?? this.make(owner));
  }

  async destroy(accountId: string, holder: string): Promise<void> {
    await new RecordDestroyer(this.parts.records).destroy(accountId, holder);
    this.destructions += 1;
    if (holder === '') this.accounts.delete(accountId);
    this.accounts.get(accountId)?.byHolder.delete(holder);
  }

  private async make(owner: KeyOwner): Promise<DataKey> {
    const { records } = this.parts;
    const account = await this.accountFor(owner.accountId);
    const id = idOf(owner);
    const { destructions } = this;
    const keyId = newId();
    const stored = await records.add({ id, keyId, wrapped: sealBytes(account.key, newKey(), id) });
    if (stored === 'destroyed') throw destroyed();
    if (stored.keyId === keyId) return this.opened(account, owner, stored, destructions);
    const found = await this.find(owner.accountId, owner.holder);
    if (!found) throw wrongKey(`The key ${id} is missing in the database of keys.`);
    return found;
  }

  private async accountFor(accountId: string): Promise<AccountKeys> {
    return this.account(accountId) ?? this.shared(this.openingAccounts, accountId, () => this.openAccount(accountId));
  }

  /** Callers that come after a key was destroyed do not share what was begun before. */
  private shared<T>(running: Map<string, Promise<T>>, id: string, work: () => Promise<T>): Promise<T> {
    const key = `${id} ${this.destructions}`;
    const begun = running.get(key) ?? work().finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  }

  private async openAccount(accountId: string): Promise<AccountKeys> {
    const { records, provider } = this.parts;
    const { destructions } = this;
    const id = keyRecordId(accountId);
    const wrapped = (await records.find([id])).get(id) ?? (await records.add({ id, keyId: newId(), wrapped: await provider.wrap(newKey(), contextOf(accountId)) }));
    if (wrapped === 'destroyed') throw destroyed();
    return this.unwrappedAccount(accountId, wrapped, destructions);
  }

  private async unwrapped(owner: KeyOwner, { account, key, destructions }: ReadStates): Promise<FoundKey | undefined> {
    if (account === 'destroyed' || key === 'destroyed') return 'destroyed';
    if (!key) return undefined;
    if (!account) throw wrongKey(`The key of the account ${owner.accountId} is missing in the database of keys.`);
    const known = this.account(owner.accountId);
    const isCurrent = known?.id === account.keyId && (account.previous === undefined || known.previous !== undefined);
    return this.opened(isCurrent ? known : await this.unwrappedAccount(owner.accountId, account, destructions), owner, key, destructions);
  }

  /** @param destructions as they were before the record was read */
  private opened(account: AccountKeys, owner: KeyOwner, { id, keyId, wrapped }: KeyRecord, destructions: number): DataKey {
    const key = openBytes(account.key, wrapped, id) ?? (account.previous && openBytes(account.previous, wrapped, id));
    if (!key) throw new WrappedByOther(id);
    const opened = { id: keyId, key };
    if (destructions !== this.destructions) return opened;
    if (account.byHolder.size >= MAX_CACHED) account.byHolder.clear();
    account.byHolder.set(owner.holder, opened);
    return opened;
  }

  /** Calls the provider once for all callers at a time. */
  private unwrappedAccount(accountId: string, record: KeyRecord, destructions: number): Promise<AccountKeys> {
    return this.shared(this.unwrapping, `${accountId}/${record.keyId}`, () => this.unwrapAccount(accountId, record, destructions));
  }

  private async unwrapAccount(accountId: string, { keyId, wrapped, previous: replaced }: KeyRecord, destructions: number): Promise<AccountKeys> {
    const { provider } = this.parts;
    const key = await provider.unwrap(wrapped, contextOf(accountId));
    const previous = replaced === undefined ? undefined : await provider.unwrap(replaced, contextOf(accountId));
    const account = { id: keyId, key, previous, expiresAt: this.nowMs() + this.cacheMs, byHolder: new Map<string, DataKey>() };
    if (destructions !== this.destructions) return account;
    this.accounts.set(accountId, account);
    // An account that is not used again would keep its keys in memory. The timer holds none of them: they may be destroyed before.
    const { expiresAt } = account;
    setTimeout(() => this.forget(accountId, expiresAt), this.cacheMs).unref();
    return account;
  }

  private account(accountId: string): AccountKeys | undefined {
    const account = this.accounts.get(accountId);
    if (!account || account.expiresAt > this.nowMs()) return account;
    this.accounts.delete(accountId);
    return undefined;
  }

  /** @param expiresAt of the keys that are meant: others may have taken their place */
  private forget(accountId: string, expiresAt: number): void {
    if (this.accounts.get(accountId)?.expiresAt === expiresAt) this.accounts.delete(accountId);
  }

  private nowMs(): number {
    return this.parts.clock.now().getTime();
  }
}

const idOf = ({ accountId, holder }: KeyOwner): string => keyRecordId(accountId, holder);
/** The context in which the provider wraps an account's key. */
export const contextOf = (accountId: string): string => `account/${accountId}`;
export const newId = (): string => randomBytes(ID_BYTES).toString('base64url');

const destroyed = () => new AppError({ kind: 'not_found', code: 'key_destroyed', message: 'The data was erased: its key was destroyed.' });
