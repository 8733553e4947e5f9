import { describe, expect, it } from '@jest/globals';
import type { ApiKey } from './api-key.js';
import { scopesLost } from './remaining-keys.js';
import type { Scope } from './scope.js';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const key = (id: string, scopes: Scope[], expiresAt?: string): ApiKey => ({ id, createdAt: '', accountId: 'acc_1', name: id, scopes, hash: '', ...(expiresAt !== undefined && { expiresAt }) });
const maker = key('maker', ['keys', 'search']);

describe('the scopes that are lost with a key', () => {
  it('are those that no other key with the scope keys has', () => {
    expect(scopesLost(maker, [maker, key('reader', ['search'])], NOW)).toEqual(['keys', 'search']);
    expect(scopesLost(maker, [maker, key('other', ['keys'])], NOW)).toEqual(['search']);
    expect(scopesLost(maker, [maker, key('other', ['keys', 'search', 'chat'])], NOW)).toEqual([]);
    expect(scopesLost(maker, [maker, key('reader', ['search']), key('other', ['keys', 'chat'])], NOW)).toEqual(['search']);
  });

  it('are none where the key makes no keys', () => {
    expect(scopesLost(key('reader', ['search']), [maker], NOW)).toEqual([]);
  });

  it('are lost where the others end within a day, as a rotated one does', () => {
    const yearly = key('yearly', ['keys'], '2027-01-01T00:00:00.000Z');
    expect(scopesLost(yearly, [yearly, key('rotated', ['keys'], '2026-01-01T23:59:59.000Z')], NOW)).toEqual(['keys']);
    expect(scopesLost(yearly, [yearly, key('daily', ['keys'], '2026-01-02T00:00:00.000Z')], NOW)).toEqual([]);
  });

  it('are lost with a key without an end beside which all others have one: none of them could make a lasting key', () => {
    expect(scopesLost(maker, [maker, key('yearly', ['keys', 'search'], '2027-01-01T00:00:00.000Z')], NOW)).toEqual(['keys', 'search']);
  });

  it('are not lost with a key that ends no later than another, or has ended', () => {
    const short = key('short', ['keys'], '2026-01-01T01:00:00.000Z');
    expect(scopesLost(short, [short, key('as short', ['keys'], '2026-01-01T01:00:00.000Z')], NOW)).toEqual([]);
    const over = key('over', ['keys'], '2025-12-31T00:00:00.000Z');
    expect(scopesLost(over, [over], NOW)).toEqual([]);
  });

  it('are lost where a caller that ends before the key leaves none that lasts as long', () => {
    const yearly = key('yearly', ['keys'], '2027-01-01T00:00:00.000Z');
    const weekly = key('weekly', ['keys'], '2026-01-08T00:00:00.000Z');
    expect(scopesLost(yearly, [yearly, weekly], NOW, weekly.expiresAt)).toEqual(['keys']);
    expect(scopesLost(yearly, [yearly, weekly], NOW, yearly.expiresAt)).toEqual([]);
  });
});
