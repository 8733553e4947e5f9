import { AppError, notFound, TimeSlices, type Clock, type IdGenerator } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase, Page, Stored } from '@parlance/storage';
import { removeUnchanged } from '../expired-documents.js';
import { storeAttempt, takenOver, type Attempt } from '../idempotency/new-id.js';
import { adoptedId, endOf, type ApiKey } from './api-key.js';
import { hashOfKey, makeApiKey, type RandomBytes } from './api-key-format.js';
import { KeyBudgetRecords } from './key-budget.js';
import { KeyMarks } from './key-marks.js';
import { firstOfRotations, KEY_LIMITS, requireRoom, requireRoomForRotation, type KeyCreator } from './key-room.js';
import { scopesLost } from './remaining-keys.js';
import { refusedScopes, type Scope } from './scope.js';

interface Revocation {
  /** True to also revoke the last key that gives a scope. */
  allowLockout?: boolean | undefined;
  /** When the key ends that asks for it, RFC 3339; undefined for one without an end, and for the operator. */
  callerEnd?: string | undefined;
}

export interface NewApiKey {
  /** Given for a call under an Idempotency-Key. */
  attempt?: Attempt | undefined;
  accountId: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt?: string | undefined;
  rotationOf?: string | undefined;
  countedBy?: string | undefined;
  projectId?: string | undefined;
  /** The seconds of audio that jobs of the key and its rotations may use in a calendar month. */
  monthlySeconds?: number | undefined;
}

export interface IssuedKey {
  key: ApiKey;
  /** Shown once. */
  apiKey: string;
}

/** Milliseconds that a key is listed after its end. */
const LISTED_AFTER_END_MS = 30 * 24 * 60 * 60 * 1000;
/** Times that a key is marked anew because another call changed it. */
const MAX_TRIES = 5;

export class ApiKeys {
  readonly budgets: KeyBudgetRecords;
  private readonly collection: DocumentCollection<ApiKey>;
  private readonly marks: KeyMarks;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly random: RandomBytes,
    private readonly limits = KEY_LIMITS,
  ) {
    this.budgets = new KeyBudgetRecords(documents, clock);
    this.collection = documents.collection<ApiKey>({
      name: 'api_keys',
      data: { what: 'names, scopes and digests of API keys', purpose: 'access', kept: 'with the account; at the latest a month after the key ends' },
      account: 'accountId',
      indexes: [{ fields: ['accountId'] }, { fields: ['accountId', 'rotationOf'] }, { fields: ['accountId', 'projectId'] }, { fields: ['adopted'] }, { fields: [], orderBy: 'expiresAt' }],
    });
    this.marks = new KeyMarks(this.collection, clock);
  }

  async get(id: string): Promise<ApiKey | undefined> {
    return (await this.collection.get(id))?.document;
  }

  async issue(request: NewApiKey): Promise<IssuedKey> {
    const issued = this.make(request);
    await this.collection.insert(issued.key);
    if (request.monthlySeconds !== undefined) await this.budgets.set(issued.key, request.monthlySeconds);
    return issued;
  }

  /** Creates a key on behalf of a caller, within the limits of both. @param isWanted is called once the key is stored, before it stays. @throws AppError invalid_state, idempotency_in_flight, and what `isWanted` throws */
  async issueFor(caller: KeyCreator, request: NewApiKey, isWanted: () => Promise<void> = async () => {}): Promise<IssuedKey> {
    const { accountId, attempt, monthlySeconds } = request;
    const others = (await this.allOf(accountId)).filter(({ id }) => id !== attempt?.id);
    const countedBy = requireRoom(others, caller, this.limits, this.clock.now(), 1);
    return this.issueWithin({ ...request, countedBy }, async (key) => {
      requireRoom(await this.allOf(accountId), caller, this.limits, this.clock.now(), 0);
      if (monthlySeconds !== undefined) await this.budgets.set(key, monthlySeconds);
      await isWanted();
    });
  }

  /** Sets the budget of a key and its rotations. @param monthlySeconds undefined: no budget. @throws AppError not_found */
  async setBudget(accountId: string, id: string, monthlySeconds: number | undefined): Promise<ApiKey> {
    const key = await this.require(accountId, id);
    await this.budgets.set(key, monthlySeconds);
    // A rotation at the same time either is among these, or sees the budget.
    await this.budgets.share(key, (await this.rotationsOf(key)).map((rotation) => rotation.id));
    return key;
  }

  /** Adds scopes to a key, such as one that a later version has brought. @throws AppError not_found, invalid_state for scopes that the key cannot have */
  async grant(accountId: string, id: string, scopes: readonly Scope[]): Promise<ApiKey> {
    const granted = await this.require(accountId, id);
    const budget = await this.budgets.of(granted);
    const refused = refusedScopes({ projectId: granted.projectId, monthlySeconds: budget?.monthlySeconds });
    const wrong = scopes.filter((scope) => refused.includes(scope));
    if (wrong.length > 0) throw new AppError({ kind: 'conflict', code: 'invalid_state', message: `A key with a project or a budget cannot have the scope ${wrong.join(' or ')}.`, retryable: false });
    const { stored } = await this.collection.update(id, (key) => key && { document: { ...key, scopes: [...new Set([...key.scopes, ...scopes])] } });
    if (!stored) throw notFound('The key');
    return stored.document;
  }

  /** Removes keys that ended a month ago. One that the operator chose stays: a start with it would let it in again. @returns their ids */
  async sweepEnded(): Promise<string[]> {
    const lt = new Date(this.clock.now().getTime() - LISTED_AFTER_END_MS).toISOString();
    const removed: string[] = [];
    for await (const item of this.collection.all({ range: { field: 'expiresAt', lt }, orderBy: 'expiresAt', direction: 'ascending' })) {
      if (!item.document.adopted && (await removeUnchanged(this.collection, item))) removed.push(item.document.id);
    }
    return removed;
  }

  /** Stores a key that the operator chose. */
  async adopt(request: NewApiKey, apiKey: string): Promise<void> {
    await this.collection.insertIfAbsent({ ...this.document(adoptedId(apiKey), request, apiKey), adopted: true });
  }

  async hasAdopted(apiKey: string): Promise<boolean> {
    return (await this.get(adoptedId(apiKey))) !== undefined;
  }

  /** The keys adopted so far, the newest hundred. */
  async adoptedIds(): Promise<string[]> {
    const { items } = await this.collection.find({ where: { adopted: true }, limit: 100 });
    return items.map(({ document }) => document.id);
  }

  list(accountId: string, page: { limit: number; cursor?: string | undefined }): Promise<Page<ApiKey>> {
    const { limit, cursor } = page;
    return this.collection.find({ where: { accountId }, limit, ...(cursor !== undefined && { cursor }) });
  }

  async allIds(accountId: string): Promise<string[]> {
    return (await this.allOf(accountId)).map(({ id }) => id);
  }

  /** True while a key is bound to the project, expired ones included until they are not listed any more. */
  async hasOfProject(accountId: string, projectId: string): Promise<boolean> {
    return (await this.collection.find({ where: { accountId, projectId }, limit: 1 })).items.length > 0;
  }

  /** @throws AppError not_found */
  async require(accountId: string, id: string): Promise<ApiKey> {
    const key = await this.get(id);
    if (key?.accountId !== accountId) throw notFound('The key');
    return key;
  }

  /**
   * Safe beside other revocations and rotations: the key is marked first and removed only as the version that was marked, so of
   * two calls at once at least one sees the other's mark, and counts the marked key as gone.
   * @throws AppError not_found, last_key
   */
  async revoke(accountId: string, id: string, { allowLockout = false, callerEnd }: Revocation = {}): Promise<void> {
    await this.require(accountId, id);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const marked = await this.marks.set(id);
      if (!marked) throw notFound('The key');
      const lost = allowLockout ? [] : scopesLost(marked.document, await this.marks.staying(this.allStored({ accountId })), this.clock.now(), callerEnd);
      if (lost.length > 0) {
        await this.marks.clear(marked);
        throw lastKey(lost);
      }
      if (await removeUnchanged(this.collection, marked)) return;
    }
    throw changedMeanwhile();
  }

  /**
   * A new key like the old one; the old one ends when the overlap does. Done again, as by somebody who did not get the answer, it
   * gives another that lasts as long as the first would have.
   * @throws AppError not_found; invalid_state when it has ended already, or the new key is revoked meanwhile
   */
  async rotate(accountId: string, id: string, overlapSeconds: number): Promise<IssuedKey> {
    const old = await this.require(accountId, id);
    const { name, scopes, expiresAt, rotated = endOf(expiresAt), countedBy, projectId } = old;
    const now = this.clock.now();
    if (expiresAt !== undefined && expiresAt <= now.toISOString()) throw expired();
    const unlisted = requireRoomForRotation(await this.rotationsOf(old), this.limits, now, 1);
    for (const key of unlisted) if (!key.adopted) await this.collection.remove(key.id);
    const successor = { accountId, name, scopes, ...rotated, countedBy, projectId, rotationOf: firstOfRotations(old) };
    const issued = await this.issueWithin(successor, async (key) => {
      requireRoomForRotation(await this.rotationsOf(old), this.limits, now, 0);
      await this.budgets.share(old, [key.id]);
    });
    try {
      await this.endRotated(id, issued.key.id, new Date(now.getTime() + overlapSeconds * 1000).toISOString());
    } catch (error) {
      await this.withdraw(issued.key);
      throw error;
    }
    return issued;
  }

  /**
   * Issues a key, and withdraws it when a limit is exceeded then: calls at the same time have seen the same room. Until it stays,
   * it is marked, so that no revocation counts it.
   */
  private async issueWithin(request: NewApiKey, requireLimits: (key: ApiKey) => Promise<unknown>): Promise<IssuedKey> {
    const issued = this.make(request);
    const marked = await storeAttempt(this.collection, { ...issued.key, endingSince: issued.key.createdAt }, request.attempt?.takesOver ?? false);
    try {
      await requireLimits(issued.key);
      if (!(await this.marks.clear(marked))) await this.requireOwn(issued.key);
    } catch (error) {
      await this.withdraw(issued.key);
      throw error;
    }
    return issued;
  }

  /** @throws AppError idempotency_in_flight when another attempt to create the key replaced it */
  private async requireOwn({ id, hash }: ApiKey): Promise<void> {
    const stored = await this.get(id);
    if (stored && stored.hash !== hash) throw takenOver();
  }

  /** Removes a key that its caller does not get to see: it would count as one that stays. The error that led here says more than one of this. */
  private async withdraw({ id, hash }: ApiKey): Promise<void> {
    const withdrawn = async () => {
      const stored = await this.collection.get(id);
      if (stored?.document.hash === hash) await this.collection.remove(id, stored.version);
    };
    await withdrawn().catch(() => undefined);
  }

  /** The old key is marked before its successor is looked at: who revokes the successor after that does not count the old key. */
  private async endRotated(id: string, successorId: string, end: string): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const marked = await this.marks.set(id);
      if (!marked) return;
      const successor = await this.get(successorId);
      if (!successor || successor.endingSince !== undefined) {
        await this.marks.clear(marked);
        throw changedMeanwhile();
      }
      const { endingSince: _since, ...old } = marked.document;
      const isSooner = old.expiresAt === undefined || old.expiresAt > end;
      const ended = isSooner ? { ...old, expiresAt: end, rotated: old.rotated ?? endOf(old.expiresAt) } : old;
      if (await this.collection.replaceIf(ended, marked.version)) return;
    }
    throw changedMeanwhile();
  }

  private async allOf(accountId: string, rotationOf?: string): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    for await (const { document } of this.allStored({ accountId, rotationOf })) keys.push(document);
    return keys;
  }

  private async *allStored(where: { accountId: string; rotationOf?: string | undefined }): AsyncGenerator<Stored<ApiKey>> {
    const slices = new TimeSlices();
    for await (const stored of this.collection.all({ where })) {
      yield stored;
      await slices.next();
    }
  }

  /** The key, those that replaced it, and those that it replaced. */
  async rotationsOf(key: ApiKey): Promise<ApiKey[]> {
    const id = firstOfRotations(key);
    const first = await this.get(id);
    return [...(first ? [first] : []), ...(await this.allOf(key.accountId, id))];
  }

  private make(request: NewApiKey): IssuedKey {
    const id = request.attempt?.id ?? this.ids.next('key');
    const apiKey = makeApiKey(id, this.random);
    return { key: this.document(id, request, apiKey), apiKey };
  }

  private document(id: string, { accountId, name, scopes, expiresAt, rotationOf, countedBy, projectId }: NewApiKey, apiKey: string): ApiKey {
    const createdAt = this.clock.now().toISOString();
    return { id, createdAt, accountId, name, scopes: [...scopes], hash: hashOfKey(apiKey), ...(expiresAt !== undefined && { expiresAt }), ...(rotationOf !== undefined && { rotationOf }), ...(countedBy !== undefined && { countedBy }), ...(projectId !== undefined && { projectId }) };
  }
}

const expired = () => new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'key_expired', message: 'The key has expired; create a new one.' });

const changedMeanwhile = () =>
  new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'concurrent_change', message: 'Other calls are revoking or rotating the same key. Read the list of keys and try again.', retryable: true });

const lastKey = (scopes: readonly Scope[]) =>
  new AppError({
    kind: 'conflict',
    code: 'last_key',
    message: `No other key could give the scope ${scopes.join(', ')} to a new key. Create another one first, or set allow_lockout=true.`,
  });
