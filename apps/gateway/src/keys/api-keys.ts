import { AppError, notFound, toAppError, type Clock, type IdGenerator } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase, Page } from '@parlance/storage';
import { hashOfKey, keyIdOf, makeApiKey, type RandomBytes } from './api-key-format.js';
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

export class ApiKeys {
  private readonly collection: DocumentCollection<ApiKey>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly random: RandomBytes,
  ) {
    this.collection = documents.collection<ApiKey>({ name: 'api_keys', indexes: [{ fields: ['accountId'] }, { fields: ['adopted'] }] });
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

  /** @throws AppError not_found */
  async revoke(accountId: string, id: string): Promise<void> {
    await this.require(accountId, id);
    await this.collection.remove(id);
  }

  /** A new key like the old one, which ends when the overlap does. @throws AppError not_found; invalid_state when it has ended already */
  async rotate(accountId: string, id: string, overlapSeconds: number): Promise<IssuedKey> {
    const { name, scopes, expiresAt } = await this.require(accountId, id);
    const now = this.clock.now();
    if (expiresAt !== undefined && expiresAt <= now.toISOString()) throw expired();
    const issued = await this.issue({ accountId, name, scopes, expiresAt });
    const end = new Date(now.getTime() + overlapSeconds * 1000).toISOString();
    await this.collection.update(id, (old) => {
      if (!old || (old.expiresAt !== undefined && old.expiresAt <= end)) return undefined;
      return { document: { ...old, expiresAt: end } };
    });
    return issued;
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

const expired = () => new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The key has expired; make a new one.' });
