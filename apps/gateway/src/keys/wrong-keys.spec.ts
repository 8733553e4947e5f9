import { describe, expect, it } from '@jest/globals';
import { hashOfKey, makeApiKey } from './api-key-format.js';
import { Authenticator } from './authenticator.js';
import { WrongKeys } from './wrong-keys.js';

const ADDRESS = '192.0.2.1';
let now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
const pass = (seconds: number) => (now = new Date(now.getTime() + seconds * 1000));
const key = (number: number) => makeApiKey(`key_${String(number).padStart(26, '0')}`, (length) => new Uint8Array(length).fill(number));

/** Keys 1 and 2 are right. @param lookUpSeconds that a look-up takes */
function start(lookUpSeconds = 0) {
  const lookedUp: string[] = [];
  const right = new Map([1, 2].map((number) => [`key_${String(number).padStart(26, '0')}`, hashOfKey(key(number))]));
  const keys = {
    get: async (id: string) => {
      lookedUp.push(id);
      const hash = right.get(id);
      pass(lookUpSeconds);
      return hash === undefined ? undefined : { id, createdAt: '', accountId: 'acc_1', name: '', scopes: [], hash };
    },
  };
  const monotonic = { now: () => now.getTime() };
  const authenticator = new Authenticator(keys, { get: async (id) => ({ id, createdAt: '', plan: 'free' }) }, clock, new WrongKeys(3, clock), { get: async () => undefined }, monotonic);
  const answer = (number: number, address = ADDRESS) =>
    authenticator.authenticate({ apiKey: key(number) }, address).then(
      () => 'ok',
      (error: { code: string; retryAfter?: number }) => (error.retryAfter === undefined ? error.code : `${error.code} ${error.retryAfter}`),
    );
  const revoke = (number: number) => void right.delete(`key_${String(number).padStart(26, '0')}`);
  return { answer, lookedUp, revoke };
}

describe('wrong keys from one address', () => {
  it('are refused with a wait once there were too many, until a try is there again', async () => {
    const { answer } = start();
    for (const number of [7, 8, 9]) expect(await answer(number)).toBe('unauthenticated');
    expect(await answer(10)).toBe('rate_limited 20');
    expect(await answer(10, '192.0.2.2')).toBe('unauthenticated');
    pass(20);
    expect(await answer(10)).toBe('unauthenticated');
    expect(await answer(10)).toBe('rate_limited 20');
  });

  it('are counted for a /56 and a /48 as well, in whatever /64 of it they begin', async () => {
    const { answer } = start();
    const wrongFrom = async (networks: (network: number) => string) => {
      const answers = [];
      for (let network = 0; network < 90; network++) answers.push(await answer(7, networks(network)));
      return answers.filter((each) => each === 'unauthenticated').length;
    };
    expect(await wrongFrom((network) => `2001:db8:1:${network.toString(16)}::1`)).toBe(3 * 4);
    expect(await wrongFrom((network) => `2001:db8:1:${(network * 256).toString(16)}::1`)).toBe(3 * 16 - 3 * 4);
    expect(await answer(7, '2001:db8:2::1')).toBe('unauthenticated');
  });

  it('are as few when they come all at once', async () => {
    const { answer, lookedUp } = start();
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => answer(7 + (index % 200), `2001:db8::${index.toString(16)}`)));
    expect(lookedUp).toHaveLength(200);
    expect(answers.filter((each) => each === 'unauthenticated')).toHaveLength((3 * 1000) / 200);
    expect(new Set(answers)).toEqual(new Set(['unauthenticated', 'rate_limited 20']));
  });

  it('are looked up once for a thousand requests at once with one key, right or wrong', async () => {
    const { answer, lookedUp } = start();
    expect(new Set(await Promise.all(Array.from({ length: 1000 }, () => answer(1))))).toEqual(new Set(['ok']));
    expect(new Set(await Promise.all(Array.from({ length: 1000 }, () => answer(7))))).toEqual(new Set(['unauthenticated']));
    expect(lookedUp).toHaveLength(2);
  });

  it('keep out no right key, whether or not it was used before', async () => {
    const { answer } = start();
    expect(await answer(1)).toBe('ok');
    pass(60);
    for (const number of [7, 8, 9]) await answer(number);
    expect(await answer(10)).toBe('rate_limited 20');
    expect([await answer(1), await answer(2)]).toEqual(['ok', 'ok']);
  });
});

describe('a key that has ended', () => {
  it('is no guess, however often its caller goes on with it', async () => {
    const { answer, revoke } = start();
    expect(await answer(1)).toBe('ok');
    revoke(1);
    pass(60);
    for (let tries = 0; tries < 5; tries++) expect(await answer(1)).toBe('unauthenticated');
    expect(await answer(2)).toBe('ok');
  });
});

describe('a key that was let in', () => {
  it('is looked up again before five seconds are over, since another process may have revoked it', async () => {
    const { answer, lookedUp } = start();
    await answer(1);
    pass(3.9);
    await answer(1);
    expect(lookedUp).toHaveLength(1);
    pass(0.2);
    await answer(1);
    expect(lookedUp).toHaveLength(2);
  });

  it('are refused four seconds after a slow look-up of a key began that was revoked since', async () => {
    const { answer, lookedUp, revoke } = start(3);
    expect(await answer(1)).toBe('ok');
    revoke(1);
    pass(0.5);
    expect([await answer(1), lookedUp.length]).toEqual(['ok', 1]);
    pass(0.6);
    expect([await answer(1), lookedUp.length]).toEqual(['unauthenticated', 2]);
  });
});
