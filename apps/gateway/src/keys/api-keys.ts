import { AppError, notFound, toAppError, type Clock, type IdGenerator } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase, Page } from '@parlance/storage';
import { removeUnchanged } from '../expired-documents.js';
import { hashOfKey, keyIdOf, makeApiKey, type RandomBytes } from './api-key-format.js';
import { isLastOfItsKind } from './remaining-keys.js';
import type { Scope } from './scope.js';

/** A key as it is stored; its secret is not. */
export interface ApiKey extends Document {
  accountId: string;
  name: string;
  scopes: readonly Scope[];
  /** SHA-256 of the whole key, hexadecimal. */
  hash: string;
  /** From then on it is refused. */
  expiresAt?: string;
  /** Of one that was rotated: the end it had before, which is that of its successor. */
  rotated?: { expiresAt?: string };
  /** Chosen by the operator, and perhaps of another form than ours. */
  adopted?: true;
}

export interface NewApiKey {
  accountId: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt?: string | undefined;
}

export interface IssuedKey {
  key: ApiKey;
  /** Shown once. */
  apiKey: string;
}

const PAGE = 100;
/** Of an account, those included that ended lately: more than people keep apart, few enough to be looked through. */
const MAX_KEYS = 1000;
/** Milliseconds that a key is listed after its end. */
const LISTED_AFTER_END_MS = 30 * 24 * 60 * 60 * 1000;

export class ApiKeys {
  private readonly collection: DocumentCollection<ApiKey>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly random: RandomBytes,
  ) {
    this.collection = documents.collection<ApiKey>({ name: 'api_keys', indexes: [{ fields: ['accountId'] }, { fields: ['adopted'] }, { fields: [], orderBy: 'expiresAt' }] });
  }

  async get(id: string): Promise<ApiKey | undefined> {
    return (await this.collection.get(id))?.document;
  }

  async issue(request: NewApiKey): Promise<IssuedKey> {
    const id = this.ids.next('key');
    const apiKey = makeApiKey(id, this.random);
    const key = this.document(id, request, apiKey);
    await this.collection.insert(key);
    return { key, apiKey };
  }

  /** Before the account makes one more. @throws AppError invalid_state */
  async requireRoom(accountId: string): Promise<void> {
    if ((await this.collection.count({ accountId })) >= MAX_KEYS) throw tooMany();
  }

  /** Removes keys that ended a month ago. One that the operator chose stays: a start with it would let it in again. @returns their ids */
  async sweepEnded(): Promise<string[]> {
    const lt = new Date(this.clock.now().getTime() - LISTED_AFTER_END_MS).toISOString();
    const removed: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.collection.find({ range: { field: 'expiresAt', lt }, orderBy: 'expiresAt', direction: 'ascending', limit: PAGE, ...(cursor !== undefined && { cursor }) });
      for (const item of page.items.filter(({ document }) => !document.adopted)) {
        if (await removeUnchanged(this.collection, item)) removed.push(item.document.id);
      }
      cursor = page.nextCursor;
    }
    return removed;
  }

  /** Stores a key that the operator chose. */
  async adopt(request: NewApiKey, apiKey: string): Promise<void> {
    try {
      await this.collection.insert({ ...this.document(adoptedId(apiKey), request, apiKey), adopted: true });
    } catch (error) {
      if (toAppError(error).kind !== 'conflict') throw error;
    }
  }

  async hasAdopted(apiKey: string): Promise<boolean> {
    return (await this.get(adoptedId(apiKey))) !== undefined;
  }

  /** Those adopted so far, the newest hundred. */
  async adoptedIds(): Promise<string[]> {
    const { items } = await this.collection.find({ where: { adopted: true }, limit: 100 });
    return items.map(({ document }) => document.id);
  }

  list(accountId: string, page: { limit: number; cursor?: string | undefined }): Promise<Page<ApiKey>> {
    const { limit, cursor } = page;
    return this.collection.find({ where: { accountId }, limit, ...(cursor !== undefined && { cursor }) });
  }

  /** @throws AppError not_found */
  async require(accountId: string, id: string): Promise<ApiKey> {
    const key = await this.get(id);
    if (key?.accountId !== accountId) throw notFound('The key');
    return key;
  }

  /** @param mayLockOut whether the last key that can make others may go as well. @throws AppError not_found, last_key */
  async revoke(accountId: string, id: string, mayLockOut = false): Promise<void> {
    const key = await this.require(accountId, id);
    if (!mayLockOut && isLastOfItsKind(key, await this.allOf(accountId), this.clock.now())) throw lastKey();
    await this.collection.remove(id);
  }

  /**
   * A new key like the old one; the old one ends when the overlap does. Done again, as by somebody who did not get the answer, it
   * gives another that lasts as long as the first would have.
   * @throws AppError not_found; invalid_state when it has ended already
   */
  async rotate(accountId: string, id: string, overlapSeconds: number): Promise<IssuedKey> {
    const { name, scopes, expiresAt, rotated = endOf(expiresAt) } = await this.require(accountId, id);
    const now = this.clock.now();
    if (expiresAt !== undefined && expiresAt <= now.toISOString()) throw expired();
    const issued = await this.issue({ accountId, name, scopes, ...rotated });
    const end = new Date(now.getTime() + overlapSeconds * 1000).toISOString();
    await this.collection.update(id, (old) => {
      if (!old || (old.expiresAt !== undefined && old.expiresAt <= end)) return undefined;
      return { document: { ...old, expiresAt: end, rotated: old.rotated ?? endOf(old.expiresAt) } };
    });
    return issued;
  }

  private async allOf(accountId: string): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.list(accountId, { limit: PAGE, cursor });
      keys.push(...page.items.map(({ document }) => document));
      cursor = page.nextCursor;
    }
    return keys;
  }

  private document(id: string, { accountId, name, scopes, expiresAt }: NewApiKey, apiKey: string): ApiKey {
    const createdAt = this.clock.now().toISOString();
    return { id, createdAt, accountId, name, scopes: [...scopes], hash: hashOfKey(apiKey), ...(expiresAt !== undefined && { expiresAt }) };
  }
}

/** The id that a key of our form names; of any other, one made from its hash. */
export const adoptedId = (apiKey: string): string => keyIdOf(apiKey) ?? idOfHash(hashOfKey(apiKey));

/** The id of a key that names none. */
export const idOfHash = (hash: string): string => `key_${hash.slice(0, 26)}`;

/** When what a rotation puts in its place ends; undefined when it does not. */
export const successorEnd = ({ expiresAt, rotated = endOf(expiresAt) }: ApiKey): string | undefined => rotated.expiresAt;

const endOf = (expiresAt: string | undefined): NonNullable<ApiKey['rotated']> => (expiresAt === undefined ? {} : { expiresAt });

const expired = () => new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The key has expired; make a new one.' });
const tooMany = () => new AppError({ kind: 'conflict', code: 'invalid_state', message: `The account has ${MAX_KEYS} keys; revoke some that are not needed.` });

const lastKey = () =>
  new AppError({ kind: 'conflict', code: 'last_key', message: 'Without this key nobody could make keys for the account any more. Make another one first, or say allow_lockout=true.' });
