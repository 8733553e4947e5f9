import { randomBytes } from 'node:crypto';
import { AppError, type Clock } from '@parlance/platform';
import { LRUCache } from 'lru-cache';
import { accountDisabled, type Accounts } from '../accounts/accounts.js';
import { idOfHash, type ApiKey } from './api-key.js';
import type { ApiKeys } from './api-keys.js';
import { hashesEqual, hashOfKey, keyIdOf, tokenIdOf } from './api-key-format.js';
import type { AccessToken, AccessTokens, TokenUse } from './access-tokens.js';
import { SCOPES, type Scope } from './scope.js';
import type { WrongKeys } from './wrong-keys.js';

/** The account and key of a request. */
export interface Caller {
  accountId: string;
  keyId: string;
  scopes: ReadonlySet<Scope>;
  /** The project whose resources alone the caller reaches. */
  projectId?: string;
  /** When the key ends, RFC 3339. */
  expiresAt?: string;
  /** This process itself, which reads for an export of the account: neither limited nor recorded. */
  isInternal?: true;
  /** The deletion of the account was requested: no new work. */
  isToBeDeleted?: true;
  /** Set for a short-lived token, which was created by the key. */
  token?: TokenOfCaller;
}

/** The token with which a caller comes instead of the key, and the one resource that it may be bound to. */
interface TokenOfCaller {
  id: string;
  jobId?: string;
  uploadId?: string;
  use?: TokenUse;
}

/** The id of what the caller presented: its token's, or else its key's. */
export const credentialOf = ({ keyId, token }: Pick<Caller, 'keyId' | 'token'>): string => token?.id ?? keyId;

/** True when the caller may see transcripts and what people wrote about them. */
export const canRead = ({ scopes }: Pick<Caller, 'scopes'>): boolean => scopes.has('transcriptions:read');

interface KeyHeaders {
  authorization?: string | undefined;
  apiKey?: string | undefined;
  /** From the query, where an operation takes one there. Only a token: a key would stay in logs and histories. */
  token?: string | undefined;
  /** The purpose of the request. A token for another use is refused. */
  use?: TokenUse;
  /** The headers in which clients of the API that is called send a key, for the error of a request without one. Default: those of our API. */
  forms?: string | undefined;
}

const OUR_FORMS = 'Authorization: Bearer <API_KEY>, or X-API-Key';

interface KnownKey {
  key: ApiKey;
  token?: AccessToken;
  caller: Caller;
  isDisabled: boolean;
}

interface KeySource {
  get: ApiKeys['get'];
}

type Found = Pick<KnownKey, 'key' | 'token'>;

interface TokenSource {
  get: AccessTokens['get'];
}

interface AccountSource {
  get: Accounts['get'];
}

/** Milliseconds within which a key revoked by another process, or of an account disabled there, is still let in: five seconds are promised. */
const CACHE_MS = 4000;
const CACHE_SIZE = 10_000;
const INTERNAL_KEY_BYTES = 32;
/** Milliseconds for which a key that was right is no guess when it is wrong. */
const ONCE_RIGHT_MS = 60 * 60 * 1000;

/** Identifies callers by their API key. */
export class Authenticator {
  /** Keys that were let in, by the hash of the whole key: what a caller learns from its timing is no part of a key. */
  private readonly cache: LRUCache<string, KnownKey>;
  /** Hashes of keys that were right not long ago. */
  private readonly onceRight: LRUCache<string, true>;
  /** Look-ups by the hash of the whole key. */
  private readonly lookUps = new Map<string, Promise<KnownKey | undefined>>();
  /** Callers within this process, by the hash of the key that they have for a moment. */
  private readonly internal = new Map<string, Caller>();
  private adoptedIds: ReadonlySet<string> = new Set();

  constructor(
    private readonly keys: KeySource,
    private readonly accounts: AccountSource,
    private readonly clock: Clock,
    private readonly wrongKeys: Pick<WrongKeys, 'count'>,
    private readonly tokens: TokenSource = { get: async () => undefined },
    private readonly monotonic: { now(): number } = performance,
  ) {
    // Looked at on each use: no timer of the cache's own is needed.
    const perf = { perf: monotonic, ttlResolution: 0 };
    this.cache = new LRUCache({ max: CACHE_SIZE, ttl: CACHE_MS, ...perf });
    this.onceRight = new LRUCache({ max: CACHE_SIZE, ttl: ONCE_RIGHT_MS, ...perf });
  }

  /** Lets keys in that the operator chose and that need not have our form; held here, so that others still need no look-up. */
  admit(adoptedIds: Iterable<string>): void {
    this.adoptedIds = new Set(adoptedIds);
  }

  /**
   * @param address where the request came from
   * @param onRefused is called with the caller of a key that is known, before it is refused
   * @throws AppError unauthenticated, saying no more than that; account_disabled; rate_limited for a wrong key after too many from there
   */
  async authenticate(headers: KeyHeaders, address: string, onRefused: (caller: Caller) => void = () => {}): Promise<Caller> {
    const apiKey = presentedKey(headers);
    const hash = hashOfKey(apiKey);
    const known = this.cache.get(hash) ?? (await this.lookUp(apiKey, hash, address));
    if (!known) throw invalidCredential(apiKey);
    const refusal = this.refusalOfKnown(known, apiKey, headers);
    if (!refusal) return known.caller;
    onRefused(known.caller);
    throw refusal;
  }

  /** The same at once, without a promise, when the key was let in a moment ago; undefined: `authenticate`. @throws AppError unauthenticated when the headers hold no key */
  recall(headers: KeyHeaders): Caller | undefined {
    const hash = hashOfKey(presentedKey(headers));
    const known = this.cache.get(hash);
    if (!known) return this.internal.get(hash);
    return known && !known.isDisabled && !this.hasEnded(known) && isFor(known, headers) ? known.caller : undefined;
  }

  /** A key that reads everything of the account, in this process and until it is disposed of. */
  openInternal(accountId: string): { apiKey: string } & Disposable {
    const apiKey = randomBytes(INTERNAL_KEY_BYTES).toString('hex');
    const hash = hashOfKey(apiKey);
    this.internal.set(hash, { accountId, keyId: 'internal', scopes: new Set(SCOPES), isInternal: true });
    return { apiKey, [Symbol.dispose]: () => void this.internal.delete(hash) };
  }

  /** Why a key or token that was let in would not be now, by the store; undefined: it would, or it opened a connection that outlasts it. @param id of the key or token */
  async refusalOf(id: string): Promise<AppError | undefined> {
    const token = id.startsWith('tok_') ? await this.tokens.get(id) : undefined;
    if (id.startsWith('tok_') && (!token || (token.use === undefined && this.hasExpired(token)))) return keyEnded();
    const key = await this.keys.get(token?.keyId ?? id);
    if (!key || this.hasExpired(key)) return keyEnded();
    const account = await this.accounts.get(key.accountId);
    if (!account || account.deletion?.erasingSince !== undefined) return keyEnded();
    return account.disabledAt === undefined ? undefined : accountDisabled();
  }

  private refusalOfKnown(known: KnownKey, apiKey: string, headers: KeyHeaders): AppError | undefined {
    if (this.hasEnded(known)) return invalidCredential(apiKey);
    if (known.isDisabled) return accountDisabled();
    return isFor(known, headers) ? undefined : new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: 'An ephemeral key opens sessions of the realtime protocol alone.' });
  }

  /** After this process changed the account: its keys are looked up anew. */
  forgetAccount(accountId: string): void {
    for (const [hash, { key }] of this.cache.entries()) if (key.accountId === accountId) this.cache.delete(hash);
  }

  /** After this process revoked or changed a key, or revoked a token. */
  forget(id: string): void {
    for (const [hash, { key, token }] of this.cache.entries()) if (key.id === id || token?.id === id) this.cache.delete(hash);
  }

  /** Requests with the same key at once are one look-up, which its other requests wait for. @throws AppError rate_limited */
  private lookUp(apiKey: string, hash: string, address: string): Promise<KnownKey | undefined> {
    const begun = this.lookUps.get(hash);
    if (begun) return begun;
    const found = this.findCounted(apiKey, hash, address).finally(() => this.lookUps.delete(hash));
    this.lookUps.set(hash, found);
    return found;
  }

  /** A key that has ended is not a guess, so it does not count against the address's limit, which other clients share. */
  private async findCounted(apiKey: string, hash: string, address: string): Promise<KnownKey | undefined> {
    const known = await this.find(apiKey, hash);
    if (!known && !this.onceRight.has(hash)) this.wrongKeys.count(address);
    return known;
  }

  private async find(apiKey: string, hash: string): Promise<KnownKey | undefined> {
    // A key is as old as the beginning of its look-up, however long that takes.
    const start = this.monotonic.now();
    const found: Found | undefined = await (tokenIdOf(apiKey) === undefined ? this.findKey(apiKey, hash) : this.findToken(apiKey, hash));
    const account = found && (await this.accounts.get(found.key.accountId));
    if (!account || account.deletion?.erasingSince !== undefined) return undefined;
    const { key, token } = found;
    const { accountId, id: keyId, projectId } = key;
    const expiresAt = token?.expiresAt ?? key.expiresAt;
    const caller: Caller = { accountId, keyId, scopes: new Set(token?.scopes ?? key.scopes), ...(projectId !== undefined && { projectId }), ...(expiresAt !== undefined && { expiresAt }), ...(token && { token: tokenOfCaller(token) }), ...(account.deletion && { isToBeDeleted: true }) };
    const known: KnownKey = { ...found, isDisabled: account.disabledAt !== undefined, caller };
    this.cache.set(hash, known, { start });
    this.onceRight.set(hash, true);
    return known;
  }

  private async findKey(apiKey: string, hash: string): Promise<Found | undefined> {
    const namedId = keyIdOf(apiKey);
    const id = namedId ?? idOfHash(hash);
    const key = namedId !== undefined || this.adoptedIds.has(id) ? await this.keys.get(id) : undefined;
    return key && hashesEqual(key.hash, hash) ? { key } : undefined;
  }

  /** A token ends with the key that created it. */
  private async findToken(text: string, hash: string): Promise<Found | undefined> {
    const token = await this.tokens.get(tokenIdOf(text) ?? '');
    if (!token || !hashesEqual(token.hash, hash)) return undefined;
    const key = await this.keys.get(token.keyId);
    return key && { key, token };
  }

  private hasEnded({ key, token }: KnownKey): boolean {
    return this.hasExpired(key) || (token !== undefined && this.hasExpired(token));
  }

  private hasExpired({ expiresAt }: Pick<ApiKey, 'expiresAt'>): boolean {
    return expiresAt !== undefined && expiresAt <= this.clock.now().toISOString();
  }
}

const isFor = ({ token }: Pick<KnownKey, 'token'>, { use }: KeyHeaders): boolean => token?.use === undefined || token.use === use;

const tokenOfCaller = ({ id, jobId, uploadId, use }: AccessToken): TokenOfCaller => ({ id, ...(jobId !== undefined && { jobId }), ...(uploadId !== undefined && { uploadId }), ...(use !== undefined && { use }) });

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(\S+)$/i;

/** @throws AppError unauthenticated when there is none */
export function presentedKey({ authorization, apiKey, token, forms }: KeyHeaders): string {
  if (token !== undefined && authorization === undefined && apiKey === undefined) {
    if (tokenIdOf(token) === undefined) throw refused('The query parameter access_token must be a token of POST /api/v1/tokens. API keys are not accepted in a URL.');
    return token;
  }
  if (authorization === undefined && apiKey === undefined) throw refused(`An API key is required: send ${forms ?? OUR_FORMS}.`);
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined) throw refused(forms === undefined ? 'The Authorization header must have the form: Bearer <API_KEY>.' : `The Authorization header cannot be read: send ${forms}.`);
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) throw refused('Authorization and X-API-Key contain different keys.');
  return bearer ?? apiKey ?? '';
}

const refused = (message: string) => new AppError({ kind: 'unauthenticated', code: 'unauthenticated', message });

/** Says no more than that the key or token is not valid. */
const invalidCredential = (apiKey: string): AppError => refused(tokenIdOf(apiKey) === undefined ? 'The API key is not valid. Check that it is complete, or ask for another one.' : 'The token is not valid.');

/** The error of a request during which its key expired or was revoked. */
const keyEnded = (): AppError => refused('The API key expired or was revoked during the request.');
