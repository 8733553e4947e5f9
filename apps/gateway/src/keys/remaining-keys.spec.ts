import { describe, expect, it } from '@jest/globals';
import type { ApiKey } from './api-keys.js';
import { isLastOfItsKind } from './remaining-keys.js';
import type { Scope } from './scope.js';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const key = (id: string, scopes: Scope[], expiresAt?: string): ApiKey => ({ id, createdAt: '', accountId: 'acc_1', name: id, scopes, hash: '', ...(expiresAt !== undefined && { expiresAt }) });
const maker = key('maker', ['keys', 'search']);

describe('the last key that can make others', () => {
  it('is one beside which there are only keys that cannot', () => {
    expect(isLastOfItsKind(maker, [maker, key('reader', ['search'])], NOW)).toBe(true);
    expect(isLastOfItsKind(maker, [maker, key('other', ['keys'])], NOW)).toBe(false);
    expect(isLastOfItsKind(key('reader', ['search']), [maker], NOW)).toBe(false);
  });

  it('is one beside which the others end within a day, as a rotated one does', () => {
    const yearly = key('yearly', ['keys'], '2027-01-01T00:00:00.000Z');
    expect(isLastOfItsKind(yearly, [yearly, key('rotated', ['keys'], '2026-01-01T23:59:59.000Z')], NOW)).toBe(true);
    expect(isLastOfItsKind(yearly, [yearly, key('daily', ['keys'], '2026-01-02T00:00:00.000Z')], NOW)).toBe(false);
  });

  it('is one without an end beside which all others have one: none of them could make a lasting key', () => {
    expect(isLastOfItsKind(maker, [maker, key('yearly', ['keys'], '2027-01-01T00:00:00.000Z')], NOW)).toBe(true);
  });

  it('is not one that ends no later than another, or has ended', () => {
    const short = key('short', ['keys'], '2026-01-01T01:00:00.000Z');
    expect(isLastOfItsKind(short, [short, key('as short', ['keys'], '2026-01-01T01:00:00.000Z')], NOW)).toBe(false);
    const over = key('over', ['keys'], '2025-12-31T00:00:00.000Z');
    expect(isLastOfItsKind(over, [over], NOW)).toBe(false);
  });
});
