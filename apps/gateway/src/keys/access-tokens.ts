import { Inject, Injectable } from '@nestjs/common';
import { limitReached, notFound, TimeSlices, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase, Page } from '@parlance/storage';
import type { AccountLimit } from '../accounts/account-limit.js';
import { sweepExpired } from '../expired-documents.js';
import { storeAttempt, type Attempt } from '../idempotency/new-id.js';
import { hashOfKey, makeApiKey, type RandomBytes } from './api-key-format.js';
import { RANDOM_BYTES } from './random-bytes.js';
import type { Scope } from './scope.js';

/** A short-lived token as it is stored; its secret is not. */
export interface AccessToken extends Document {
  accountId: string;
  /** The key that created it, and with which it ends. */
  keyId: string;
  scopes: readonly Scope[];
  /** SHA-256 of the whole token, hexadecimal. */
  hash: string;
  /** From then on it is refused, RFC 3339. */
  expiresAt: string;
  /** The only job that it gives access to. */
  jobId?: string;
  /** The only upload that it gives access to. */
  uploadId?: string;
  /** The only use that it has: an ephemeral key of OpenAI's realtime protocol opens connections of that protocol, which outlast it unless it is revoked. */
  use?: TokenUse;
}

export type TokenUse = 'realtime';

/** The key that creates a token. */
interface TokenCreator {
  accountId: string;
  keyId: string;
  expiresAt?: string;
}

interface TokenRequest {
  /** Given for a call under an Idempotency-Key. */
  attempt?: Attempt | undefined;
  scopes: readonly Scope[];
  expiresInSeconds: number;
  jobId?: string | undefined;
  uploadId?: string | undefined;
  use?: TokenUse;
}

export interface IssuedToken {
  token: AccessToken;
  /** Shown once. */
  secret: string;
}

const SWEEP_BATCH = 100;
/** Tokens of an account, with those that expired in the last day. */
const MAX_TOKENS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Tokens for callers that should not have a key, such as web pages. */
@Injectable()
export class AccessTokens {
  private readonly collection: DocumentCollection<AccessToken>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
  ) {
    this.collection = documents.collection<AccessToken>({
      name: 'access_tokens',
      data: { what: 'digests of short-lived tokens, their scopes', purpose: 'access by browsers', kept: 'a day after the token ends' },
      account: 'accountId',
      indexes: [{ fields: ['accountId'] }, { fields: ['accountId', 'keyId'] }, { fields: ['accountId'], orderBy: 'expiresAt' }, { fields: [], orderBy: 'expiresAt' }],
    });
  }

  async get(id: string): Promise<AccessToken | undefined> {
    return (await this.collection.get(id))?.document;
  }

  async limitOf(accountId: string): Promise<AccountLimit> {
    return { used: await this.collection.count({ accountId }), limit: MAX_TOKENS };
  }

  /** A token never outlasts the key that creates it. @throws AppError idempotency_in_flight; invalid_state, where requests at the same time may pass the limit by as many as they are */
  async issue({ accountId, keyId, expiresAt: keyEnd }: TokenCreator, { attempt, scopes, expiresInSeconds, jobId, uploadId, use }: TokenRequest): Promise<IssuedToken> {
    const { id, takesOver } = attempt ?? { id: this.ids.next('tok'), takesOver: false };
    if (!takesOver) await this.requireRoom(accountId);
    const secret = makeApiKey(id, this.random);
    const now = this.clock.now();
    const end = new Date(now.getTime() + expiresInSeconds * 1000).toISOString();
    const expiresAt = keyEnd !== undefined && keyEnd < end ? keyEnd : end;
    const token: AccessToken = { id, createdAt: now.toISOString(), accountId, keyId, scopes: [...scopes], hash: hashOfKey(secret), expiresAt, ...(jobId !== undefined && { jobId }), ...(uploadId !== undefined && { uploadId }), ...(use !== undefined && { use }) };
    await storeAttempt(this.collection, token, takesOver);
    return { token, secret };
  }

  /** Newest first. @param keyId only those that the key created */
  list(owner: { accountId: string; keyId?: string }, { limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<Page<AccessToken>> {
    return this.collection.find({ where: { ...owner }, limit, ...(cursor !== undefined && { cursor }) });
  }

  /** @param keyId when given, the key that must have created it. @throws AppError not_found */
  async revoke({ accountId, keyId }: { accountId: string; keyId?: string }, id: string): Promise<void> {
    const token = await this.get(id);
    const isOwn = token?.accountId === accountId && (keyId === undefined || token.keyId === keyId);
    if (!isOwn || !(await this.collection.remove(id))) throw notFound('The token');
  }

  private async requireRoom(accountId: string): Promise<void> {
    const { used, limit } = await this.limitOf(accountId);
    if (used < limit || (await this.removeExpiredOf(accountId)) > 0) return;
    throw limitReached(`The account has ${limit} tokens that are valid, which is the maximum; revoke those that are no longer needed, or wait until some expire.`);
  }

  /** Removes some expired tokens. One with a use stays: the connections that it opened would end with it. @returns how many */
  private async removeExpiredOf(accountId: string): Promise<number> {
    const range = { field: 'expiresAt', lt: this.clock.now().toISOString() };
    const slices = new TimeSlices();
    let removed = 0;
    for await (const { document } of this.collection.all({ where: { accountId }, range, orderBy: 'expiresAt', direction: 'ascending' })) {
      await slices.next();
      if (document.use === undefined && (await this.collection.remove(document.id))) removed += 1;
      if (removed === SWEEP_BATCH) break;
    }
    return removed;
  }

  /** Removes the tokens of a key that was revoked. */
  async removeOfKey(accountId: string, keyId: string): Promise<void> {
    await this.collection.removeWhere({ accountId, keyId });
  }

  /** Removes tokens that expired a day ago: until then, one that is still sent does not count as a guess. */
  sweep(): Promise<void> {
    const dayAgo = { now: () => new Date(this.clock.now().getTime() - DAY_MS) };
    return sweepExpired(this.collection, dayAgo, SWEEP_BATCH);
  }
}
