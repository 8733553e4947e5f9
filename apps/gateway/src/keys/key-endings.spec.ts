import { describe, expect, it } from '@jest/globals';
import { AppError, silentLogger } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { KeyEndings } from './key-endings.js';

const ENDED = new AppError({ kind: 'unauthenticated', code: 'unauthenticated', message: 'The key has ended.' });

describe('an answer that stays open', () => {
  it('ends with its key, and no other does', async () => {
    const authorize = new Set(['key_1', 'key_2']);
    const ended: string[] = [];
    const endings = new KeyEndings(async (keyId) => (authorize.has(keyId) ? undefined : ENDED), silentLogger(), 1);
    const over = ['key_1', 'key_1', 'key_2'].map((keyId, index) => endings.watch(keyId, (why) => ended.push(`${keyId} ${index}: ${why.message}`)));
    authorize.delete('key_1');
    await eventually('the end of both', () => ended.length >= 2);
    expect(new Set(ended)).toEqual(new Set(['key_1 0: The key has ended.', 'key_1 1: The key has ended.']));
    for (const end of over) end();
  });

  it('ends with its key also when the look-up of another fails or takes its time', async () => {
    const ended: string[] = [];
    const lookUps: Record<string, () => Promise<AppError | undefined>> = {
      key_broken: () => Promise.reject(new Error('The document cannot be read.')),
      key_slow: () => new Promise(() => undefined),
      key_ended: () => Promise.resolve(ENDED),
    };
    const endings = new KeyEndings((keyId) => lookUps[keyId]?.() ?? Promise.resolve(undefined), silentLogger(), 1);
    const over = Object.keys(lookUps).map((keyId) => endings.watch(keyId, () => ended.push(keyId)));
    await eventually('its end', () => ended.includes('key_ended'));
    expect(new Set(ended)).toEqual(new Set(['key_ended']));
    for (const end of over) end();
  });

  it('goes on while nobody can tell', async () => {
    let tries = 0;
    let ended = false;
    const endings = new KeyEndings(() => Promise.reject(new Error(`The database is away, try ${(tries += 1)}.`)), silentLogger(), 1);
    const over = endings.watch('key_1', () => (ended = true));
    await eventually('some looks', () => tries > 2);
    expect(ended).toBe(false);
    over();
  });
});
