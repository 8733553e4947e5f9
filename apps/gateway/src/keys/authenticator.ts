import { AppError, type Clock } from '@parlance/platform';
import { LRUCache } from 'lru-cache';
import { idOfHash, type ApiKey, type ApiKeys } from './api-keys.js';
import { hashesEqual, hashOfKey, keyIdOf } from './api-key-format.js';
import type { Scope } from './scope.js';

/** Who calls. */
export interface Caller {
  accountId: string;
  keyId: string;
  scopes: ReadonlySet<Scope>;
}

interface KnownKey {
  key: ApiKey;
  caller: Caller;
}

interface KeySource {
  get: ApiKeys['get'];
}

/** Milliseconds within which a key revoked by another process is still let in. */
const CACHE_MS = 5000;
const CACHE_SIZE = 10_000;

/** Tells who calls by their API key. */
export class Authenticator {
  /** Keys that were let in, by the hash of the whole key: what a caller learns from its timing is no part of a key. */
  private readonly cache = new LRUCache<string, KnownKey>({ max: CACHE_SIZE, ttl: CACHE_MS });
  private adoptedIds: ReadonlySet<string> = new Set();

  constructor(
    private readonly keys: KeySource,
    private readonly clock: Clock,
  ) {}

  /** Lets keys in that the operator chose and that need not have our form; held here, so that others still need no look-up. */
  admit(adoptedIds: Iterable<string>): void {
    this.adoptedIds = new Set(adoptedIds);
  }

  /** @throws AppError unauthenticated, saying no more than that */
  async authenticate(headers: { authorization?: string | undefined; apiKey?: string | undefined }): Promise<Caller> {
    const apiKey = presentedKey(headers);
    const hash = hashOfKey(apiKey);
    const known = this.cache.get(hash) ?? (await this.find(apiKey, hash));
    if (!known || this.hasExpired(known.key)) throw refused('The API key is not valid.');
    return known.caller;
  }

  /** After this process revoked or changed a key. */
  forget(keyId: string): void {
    for (const [hash, { key }] of this.cache.entries()) if (key.id === keyId) this.cache.delete(hash);
  }

  private async find(apiKey: string, hash: string): Promise<KnownKey | undefined> {
    const namedId = keyIdOf(apiKey);
    const id = namedId ?? idOfHash(hash);
    const key = namedId !== undefined || this.adoptedIds.has(id) ? await this.keys.get(id) : undefined;
    if (!key || !hashesEqual(key.hash, hash)) return undefined;
    const known = { key, caller: { accountId: key.accountId, keyId: key.id, scopes: new Set(key.scopes) } };
    this.cache.set(hash, known);
    return known;
  }

  private hasExpired({ expiresAt }: ApiKey): boolean {
    return expiresAt !== undefined && expiresAt <= this.clock.now().toISOString();
  }
}

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(\S+)$/i;

function presentedKey({ authorization, apiKey }: { authorization?: string | undefined; apiKey?: string | undefined }): string {
  if (authorization === undefined && apiKey === undefined) throw refused('An API key is needed: Authorization: Bearer <API_KEY>, or X-API-Key.');
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined) throw refused('The Authorization header must be: Bearer <API_KEY>.');
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) throw refused('Authorization and X-API-Key hold different keys.');
  return bearer ?? apiKey ?? '';
}

const refused = (message: string) => new AppError({ kind: 'unauthenticated', code: 'unauthenticated', message });
