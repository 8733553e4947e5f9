import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentCollection, type DocumentDatabase } from '@parlance/storage';
import fc from 'fast-check';
import type { ApiKey } from './api-key.js';
import { ApiKeys } from './api-keys.js';
import type { Caller } from './authenticator.js';
import { CallerKeys } from './caller-keys.js';
import { firstOfRotations, KEY_LIMITS, type KeyLimits } from './key-room.js';
import { SCOPES, type Scope } from './scope.js';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => NOW };
const ids = ulidGenerator();
const opened = new AsyncDisposableStack();
let documents: DocumentDatabase;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-keys-'));
  opened.defer(() => rm(folder, { recursive: true }));
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock, ids, log: silentLogger(), source: 'gateway' });
  opened.defer(() => documents.close());
});
afterAll(() => opened.disposeAsync());

const HOURS = [1, 30, 24 * 365];
const scopes = fc.subarray([...SCOPES]);
const end = fc.option(fc.constantFrom(...HOURS.map((hours) => new Date(NOW.getTime() + hours * 3_600_000).toISOString())), { nil: undefined });
const keyShape = fc.record({ scopes, expiresAt: end });
type KeyShape = { scopes: Scope[]; expiresAt: string | undefined };

const call = fc.record({
  actor: fc.nat(),
  target: fc.nat(),
  what: fc.oneof(
    fc.record({ kind: fc.constant('create' as const), scopes: fc.option(scopes, { nil: undefined }), expiresAt: end }),
    fc.record({ kind: fc.constant('revoke' as const), allowLockout: fc.boolean() }),
    fc.record({ kind: fc.constant('rotate' as const), overlapSeconds: fc.constantFrom(0, 60, 2_592_000) }),
  ),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

class Account {
  readonly id = ids.next('acc');
  private readonly keys: ApiKeys;
  private readonly callerKeys: CallerKeys;

  constructor(database: DocumentDatabase, limits?: KeyLimits) {
    this.keys = new ApiKeys(database, clock, ids, (length) => randomBytes(length), limits);
    this.callerKeys = new CallerKeys(this.keys, { isOpen: async () => false }, { removeOfKey: async () => {} }, clock);
  }

  async give(shapes: readonly KeyShape[]): Promise<ApiKey[]> {
    const made: ApiKey[] = [];
    for (const shape of shapes) made.push((await this.keys.issue({ accountId: this.id, name: 'given', ...shape })).key);
    return made;
  }

  async all(): Promise<ApiKey[]> {
    return (await this.keys.list(this.id, { limit: 1000 })).items.map(({ document }) => document).filter(isAlive);
  }

  /** Expired keys included. */
  async count(): Promise<number> {
    return (await this.keys.list(this.id, { limit: 1000 })).items.length;
  }

  /** As over HTTP: the guard lets a living key with the scope `keys` in. @returns the key that it was given; undefined when refused */
  async ask(actorId: string, targetId: string, what: Call['what']): Promise<ApiKey | undefined> {
    const actor = await this.keys.get(actorId);
    if (!actor || !isAlive(actor) || !actor.scopes.includes('keys')) return undefined;
    const caller: Caller = { accountId: this.id, keyId: actor.id, scopes: new Set(actor.scopes), ...(actor.expiresAt !== undefined && { expiresAt: actor.expiresAt }) };
    try {
      if (what.kind === 'create') return (await this.callerKeys.create(caller, { name: 'made', scopes: what.scopes, expiresAt: what.expiresAt })).key;
      if (what.kind === 'rotate') return (await this.callerKeys.rotate(caller, targetId, what.overlapSeconds)).key;
      await this.callerKeys.revoke(caller, targetId, what.allowLockout);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    return undefined;
  }
}

const isAlive = ({ expiresAt }: ApiKey): boolean => expiresAt === undefined || expiresAt > NOW.toISOString();
const endOf = ({ expiresAt }: { expiresAt?: string | undefined }): string => expiresAt ?? '9999';
const isWithin = (inner: readonly Scope[], outer: readonly Scope[]): boolean => inner.every((scope) => outer.includes(scope));
/** Scopes that a key without an end can give to new keys. */
const given = (keys: readonly ApiKey[]): Set<Scope> => new Set(keys.filter(({ scopes: has, expiresAt }) => has.includes('keys') && expiresAt === undefined).flatMap(({ scopes: has }) => has));

/** All calls of one key and of the keys that it was given, one after the other. */
async function attack(account: Account, first: ApiKey, calls: readonly Call[]): Promise<ApiKey[]> {
  const held = [first];
  for (const { actor, target, what } of calls) {
    const targets = await account.all();
    const actorId = held[actor % held.length]?.id ?? '';
    const received = await account.ask(actorId, targets[target % Math.max(1, targets.length)]?.id ?? '', what);
    if (received) held.push(received);
  }
  return held;
}

async function* scheduledAll(collection: DocumentCollection<never>, query: never, scheduler: fc.Scheduler) {
  await scheduler.schedule(Promise.resolve(), 'all');
  yield* collection.all(query);
}

/** A database whose calls begin in an order that fast-check chooses. */
function interleaved(database: DocumentDatabase, scheduler: fc.Scheduler): DocumentDatabase {
  const schedule = (collection: DocumentCollection<never>) =>
    new Proxy(collection, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (name === 'all') return (query: never) => scheduledAll(target, query, scheduler);
        return typeof method === 'function' ? scheduler.scheduleFunction(method.bind(target)) : method;
      },
    });
  return new Proxy(database, {
    get: (target, name) => (name === 'collection' ? (definition: never) => schedule(target.collection(definition) as never) : Reflect.get(target, name)),
  });
}

describe('from any set of keys, what a key with the scope keys and its successors ask for', () => {
  it('touches no key that has a scope the caller lacks, and gives no scope or end beyond its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keyShape, { maxLength: 5 }), keyShape, fc.array(call, { minLength: 1, maxLength: 8 }), async (others, shape, calls) => {
        const account = new Account(documents);
        const before = await account.give(others);
        const [caller] = await account.give([{ ...shape, scopes: [...new Set<Scope>([...shape.scopes, 'keys'])] }]);
        if (!caller) throw new Error('no caller');
        const held = await attack(account, caller, calls);

        for (const key of held) {
          expect(isWithin(key.scopes, caller.scopes)).toBe(true);
          expect(endOf(key) <= endOf(caller)).toBe(true);
        }
        const after = await account.all();
        const beyond = before.filter((key) => !isWithin(key.scopes, caller.scopes));
        expect(after.filter(({ id }) => beyond.some((key) => key.id === id)).toReversed()).toEqual(beyond);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves each scope that a lasting key could give to another one, unless a lasting caller says that it is meant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keyShape, { maxLength: 5 }), keyShape, fc.array(call, { minLength: 1, maxLength: 8 }), async (others, shape, calls) => {
        const account = new Account(documents);
        await account.give(others);
        const [caller] = await account.give([{ ...shape, scopes: [...new Set<Scope>([...shape.scopes, 'keys'])] }]);
        if (!caller) throw new Error('no caller');
        const mayLockOut = caller.expiresAt === undefined && calls.some(({ what }) => what.kind === 'revoke' && what.allowLockout);
        const before = given(await account.all());
        await attack(account, caller, calls);
        const after = given(await account.all());
        for (const scope of before) if (!mayLockOut || !caller.scopes.includes(scope)) expect([...after]).toContain(scope);
      }),
      { numRuns: 60 },
    );
  });
});

const LIMITS: KeyLimits = { perAccount: 14, reserved: 3, created: 5, rotations: 3 };
const OWNER: KeyShape = { scopes: [...SCOPES], expiresAt: undefined };
const limited = fc.record({ scopes: fc.subarray(SCOPES.filter((scope) => scope !== 'search')).map((some) => [...new Set<Scope>(['keys', ...some])]), expiresAt: end });
const filling = fc.record({
  actor: fc.nat(),
  target: fc.nat(),
  what: fc.oneof({ weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), scopes: fc.constantFrom<Scope[] | undefined>(undefined, ['keys']), expiresAt: end }) }, call.map(({ what }) => what)),
});

/** Sent more often than a key may be rotated. */
const rotation = fc.record({ actor: fc.nat(), target: fc.nat(), what: fc.constant({ kind: 'rotate' as const, overlapSeconds: 60 }) });

describe('an account that other keys fill', () => {
  it.each(['one after the other', 'all at once'])('leaves its owner room to create and to rotate, when they call %s', async (way) => {
    await fc.assert(
      fc.asyncProperty(fc.array(limited, { minLength: 1, maxLength: 3 }), fc.array(filling, { minLength: 20, maxLength: 40 }), rotation, async (shapes, others, repeated) => {
        const calls = [...others, ...Array.from({ length: LIMITS.rotations + 1 }, () => repeated)];
        const account = new Account(documents, LIMITS);
        const [owner] = await account.give([OWNER]);
        if (!owner) throw new Error('no owner');
        const held = await account.give(shapes);
        const targets = await account.all();
        const ask = async ({ actor, target, what }: Call) => {
          const received = await account.ask(held[actor % held.length]?.id ?? '', targets[target % targets.length]?.id ?? '', what);
          if (received) held.push(received);
        };
        if (way === 'all at once') await Promise.all(calls.map(ask));
        else for (const each of calls) await ask(each);

        const chains = Map.groupBy(await account.all(), firstOfRotations);
        for (const [, valid] of chains) expect(valid.length).toBeLessThanOrEqual(LIMITS.rotations);
        expect(new Set((await account.all()).map(firstOfRotations)).size).toBeLessThanOrEqual(LIMITS.perAccount - LIMITS.reserved);
        expect(await account.ask(owner.id, owner.id, { kind: 'create', scopes: undefined, expiresAt: undefined })).toBeDefined();
        expect(await account.ask(owner.id, owner.id, { kind: 'rotate', overlapSeconds: 60 })).toBeDefined();
      }),
      { numRuns: 25 },
    );
  });

  it('is full for its owner only of keys that the owner created, and can be rotated all the same', async () => {
    const account = new Account(documents, LIMITS);
    const [owner] = await account.give([OWNER]);
    const id = owner?.id ?? '';
    const create = (actorId: string, scopes?: Scope[]) => account.ask(actorId, id, { kind: 'create', scopes, expiresAt: undefined });
    for (let index = 0; index < 3; index++) {
      const made = await create(id, ['keys']);
      // Its rotations and those that it creates are counted with it.
      const rotated = await account.ask(id, made?.id ?? '', { kind: 'rotate', overlapSeconds: 60 });
      const created = await create(rotated?.id ?? '');
      let count = created ? 1 : 0;
      for (let tries = 0; tries < 8; tries++) if (await create([made?.id ?? '', rotated?.id ?? '', created?.id ?? ''][tries % 3] ?? '')) count++;
      expect(count).toBe([5, 3, 0][index]);
    }
    for (let index = 0; index < 2; index++) expect(await create(id)).toBeDefined();
    expect(await create(id)).toBeUndefined();
    expect(await account.ask(id, id, { kind: 'rotate', overlapSeconds: 0 })).toBeDefined();
  });

  it('keeps few expired rotations of a key, however often it is rotated', async () => {
    const account = new Account(documents, LIMITS);
    let [key] = await account.give([OWNER]);
    for (let index = 0; index < 20; index++) {
      key = await account.ask(key?.id ?? '', key?.id ?? '', { kind: 'rotate', overlapSeconds: 0 });
      expect(key).toBeDefined();
    }
    expect(await account.count()).toBeLessThanOrEqual(2 + LIMITS.rotations);
  });
});

describe('calls of several keys at once', () => {
  it('leave each scope to a lasting key, in whatever order their reads and writes come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.record({ actor: fc.nat(3), target: fc.nat(3), rotates: fc.boolean() }), { minLength: 2, maxLength: 4 }), fc.constantFrom(KEY_LIMITS, { ...KEY_LIMITS, rotations: 2 }), async (scheduler, calls, limits) => {
        const account = new Account(documents);
        const keys = await account.give([0, 1, 2, 3].map((index) => ({ scopes: index % 2 === 0 ? ['keys', 'search', 'chat'] : ['keys', 'search'], expiresAt: undefined })));
        const atOnce = new Account(interleaved(documents, scheduler), limits);
        Object.assign(atOnce, { id: account.id });
        const asked = calls.map(({ actor, target, rotates }) =>
          atOnce.ask(keys[actor]?.id ?? '', keys[target]?.id ?? '', rotates ? { kind: 'rotate', overlapSeconds: 0 } : { kind: 'revoke', allowLockout: false }),
        );
        await scheduler.waitFor(Promise.all(asked));
        expect([...given(await account.all())].toSorted()).toEqual(['chat', 'keys', 'search']);
      }),
      { numRuns: 60 },
    );
  });
});
