import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ulidGenerator } from '@parlance/platform';
import fc from 'fast-check';
import { hashOfKey, keyIdOf, makeApiKey } from './api-key-format.js';
import { adoptedId } from './api-key.js';
import { Authenticator } from './authenticator.js';

const ids = ulidGenerator();
const NO_LIMIT = { count: () => {} };
const ADDRESS = '192.0.2.1';
const newKey = () => makeApiKey(ids.next('key'), (length) => randomBytes(length));
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));

describe('an API key', () => {
  it('names its id and has a form that secret scanners can match', () => {
    const keyId = ids.next('key');
    const apiKey = makeApiKey(keyId, (length) => randomBytes(length));
    expect(apiKey).toMatch(/^pl_[0-9a-z]{26}[0-9A-Za-z]{38}$/);
    expect(keyIdOf(apiKey)).toBe(keyId);
  });

  it('with one character wrong is refused without a look-up', async () => {
    let lookups = 0;
    const keys = { get: async () => void lookups++ };
    const authenticator = new Authenticator(keys, { get: async () => undefined }, { now: () => new Date() }, NO_LIMIT);
    await fc.assert(
      fc.asyncProperty(fc.nat(), visible, async (place, character) => {
        const apiKey = newKey();
        const index = place % apiKey.length;
        fc.pre(apiKey[index] !== character);
        const typo = apiKey.slice(0, index) + character + apiKey.slice(index + 1);
        await expect(authenticator.authenticate({ authorization: `Bearer ${typo}` }, ADDRESS)).rejects.toMatchObject({ code: 'unauthenticated' });
      }),
    );
    expect(lookups).toBe(0);
  });

  it('with a character lost, added or two neighbours swapped is refused', () => {
    fc.assert(
      fc.property(fc.nat(), visible, (place, character) => {
        const apiKey = newKey();
        const at = place % (apiKey.length - 1);
        const lost = apiKey.slice(0, at) + apiKey.slice(at + 1);
        const added = apiKey.slice(0, at) + character + apiKey.slice(at);
        const swapped = apiKey.slice(0, at) + apiKey[at + 1] + apiKey[at] + apiKey.slice(at + 2);
        expect([lost, added].map(keyIdOf)).toEqual([undefined, undefined]);
        if (swapped !== apiKey) expect(keyIdOf(swapped)).toBeUndefined();
      }),
    );
  });

  it('draws every secret character from the whole alphabet', () => {
    const biased = (length: number) => new Uint8Array(length).fill(255).map((byte, index) => (index % 2 ? byte : 61));
    expect(makeApiKey(ids.next('key'), biased)).toMatch(/z{32}/);
  });
});

describe('the authenticator', () => {
  const apiKey = newKey();
  const stored = { id: keyIdOf(apiKey) ?? '', createdAt: '', accountId: 'acc_1', name: '', scopes: ['search'] as const, hash: hashOfKey(apiKey) };
  const start = (document: object = stored, adopted: string[] = []) => {
    let now = new Date('2026-01-01T00:00:00.000Z');
    let gone = false;
    const keys = { get: async () => (gone ? undefined : (document as typeof stored)) };
    const authenticator = new Authenticator(keys, { get: async (id) => ({ id, createdAt: '', plan: 'free' }) }, { now: () => now }, NO_LIMIT);
    authenticator.admit(adopted.map(adoptedId));
    return { authenticator, revoke: () => (gone = true), at: (text: string) => (now = new Date(text)) };
  };

  it('takes the key as Bearer, whatever the case of the scheme, or as X-API-Key', async () => {
    const { authenticator } = start();
    for (const headers of [{ authorization: `Bearer ${apiKey}` }, { authorization: `bearer ${apiKey}` }, { apiKey }, { apiKey, authorization: `Bearer ${apiKey}` }]) {
      expect(await authenticator.authenticate(headers, ADDRESS)).toMatchObject({ accountId: 'acc_1', keyId: stored.id });
    }
  });

  it('refuses another scheme, no key, two different keys, and a secret that is not the stored one', async () => {
    const { authenticator } = start();
    const forged = makeApiKey(stored.id, (length) => randomBytes(length));
    const wrong = [{}, { authorization: `Basic ${apiKey}` }, { authorization: `Bearer ${apiKey}`, apiKey: newKey() }, { authorization: `Bearer ${forged}` }];
    for (const headers of wrong) await expect(authenticator.authenticate(headers, ADDRESS)).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  it('refuses a key from its expiry on, even one it has in its cache', async () => {
    const { authenticator, at } = start({ ...stored, expiresAt: '2026-01-01T01:00:00.000Z' });
    await authenticator.authenticate({ apiKey }, ADDRESS);
    at('2026-01-01T01:00:00.000Z');
    await expect(authenticator.authenticate({ apiKey }, ADDRESS)).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  it('forgets a revoked key at once', async () => {
    const { authenticator, revoke } = start();
    await authenticator.authenticate({ apiKey }, ADDRESS);
    revoke();
    authenticator.forget(stored.id);
    await expect(authenticator.authenticate({ apiKey }, ADDRESS)).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  it("takes the operator's own key although it has another form", async () => {
    const own = 'correct-horse-battery-staple';
    const { authenticator } = start({ ...stored, hash: hashOfKey(own) }, [own]);
    expect(await authenticator.authenticate({ authorization: `Bearer ${own}` }, ADDRESS)).toMatchObject({ accountId: 'acc_1' });
    await expect(authenticator.authenticate({ authorization: `Bearer ${own}r` }, ADDRESS)).rejects.toMatchObject({ kind: 'unauthenticated' });
  });
});
