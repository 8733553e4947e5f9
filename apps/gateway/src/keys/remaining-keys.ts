import type { Scope } from './scope.js';

interface EndingKey {
  id: string;
  scopes: readonly Scope[];
  /** RFC 3339. */
  expiresAt?: string;
}

/**
 * Milliseconds for which another key must stay valid, or as long as the revoked one: enough time to create one more, which
 * expires with it.
 */
const LONG_ENOUGH_MS = 24 * 60 * 60 * 1000;

/**
 * The scopes that no key of the account could give to a new key any more, soon or now, once this one is gone. A key gives the
 * scopes that it has itself, if `keys` is one of them, and none that outlasts it. A key that makes no keys takes nothing away.
 * @param callerEnd when the key ends that revokes: where it ends before `key`, another key must last as long as `key`
 */
export function scopesLost(key: EndingKey, others: readonly EndingKey[], now: Date, callerEnd?: string): Scope[] {
  if (!makesKeys(key) || endOf(key) <= now.getTime()) return [];
  const needed = neededUntil(key, now, callerEnd);
  const lasting = others.filter((other) => other.id !== key.id && makesKeys(other) && endOf(other) >= needed);
  return key.scopes.filter((scope) => !lasting.some(({ scopes }) => scopes.includes(scope)));
}

function neededUntil(key: EndingKey, now: Date, callerEnd: string | undefined): number {
  const endsBeforeKey = callerEnd !== undefined && Date.parse(callerEnd) < endOf(key);
  return key.expiresAt === undefined || endsBeforeKey ? endOf(key) : Math.min(endOf(key), now.getTime() + LONG_ENOUGH_MS);
}

const makesKeys = ({ scopes }: EndingKey): boolean => scopes.includes('keys');
const endOf = ({ expiresAt }: EndingKey): number => (expiresAt === undefined ? Infinity : Date.parse(expiresAt));
