import type { Scope } from './scope.js';

interface EndingKey {
  id: string;
  scopes: readonly Scope[];
  /** RFC 3339. */
  expiresAt?: string;
}

/** Milliseconds that another key must go on for, or as long as the one that is revoked: time to make one more, which ends with it. */
const LONG_ENOUGH_MS = 24 * 60 * 60 * 1000;

/** Whether the account could make no keys any more, soon or now, without this one; or no lasting ones, as no key outlives its maker. */
export function isLastOfItsKind(key: EndingKey, all: readonly EndingKey[], now: Date): boolean {
  if (!makesKeys(key) || endOf(key) <= now.getTime()) return false;
  const needed = key.expiresAt === undefined ? Infinity : Math.min(endOf(key), now.getTime() + LONG_ENOUGH_MS);
  return !all.some((other) => other.id !== key.id && makesKeys(other) && endOf(other) >= needed);
}

const makesKeys = ({ scopes }: EndingKey): boolean => scopes.includes('keys');
const endOf = ({ expiresAt }: EndingKey): number => (expiresAt === undefined ? Infinity : Date.parse(expiresAt));
