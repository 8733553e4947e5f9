import { limitReached } from '@parlance/platform';
import type { Scope } from './scope.js';

export interface KeyLimits {
  /** The keys of an account, recently expired ones included. A key and its rotations are one. */
  perAccount: number;
  /** The number of them that only a key with every scope in use can create, so that no other key can take the owner's last place. */
  reserved: number;
  /** The keys that a key without every scope in use may have created, together with those that they created. */
  created: number;
  /** The valid keys that a key and its rotations may be, and as many expired ones: lost answers are repeated a few times. */
  rotations: number;
}

/** A thousand are more than people distinguish. With their rotations they are 20,000 documents at most, which a creation reads in 90 ms of processor time, in slices. */
export const KEY_LIMITS: KeyLimits = { perAccount: 1000, reserved: 100, created: 100, rotations: 10 };

export interface KeyCreator {
  keyId: string;
  scopes: ReadonlySet<Scope>;
}

export interface CountedKey {
  id: string;
  scopes: readonly Scope[];
  expiresAt?: string;
  /** The id of the first key of a chain of rotations, on all others of it. */
  rotationOf?: string;
  /** The id of the key that counts this one as created by itself or by one that it created; absent: its own. */
  countedBy?: string;
}

/** A key and those that replaced it are one: rotation takes no room. */
export const firstOfRotations = ({ id, rotationOf = id }: CountedKey): string => rotationOf;

const counterOf = (key: CountedKey): string => key.countedBy ?? firstOfRotations(key);

/**
 * Checks that the caller may create further keys.
 * @param keys all keys of the account
 * @param further 1 before the creation, 0 after it
 * @returns the id of the key that counts the new one; undefined for a caller that has every scope in use
 * @throws AppError invalid_state
 */
export function requireRoom(keys: readonly CountedKey[], caller: KeyCreator, limits: KeyLimits, now: Date, further: 0 | 1): string | undefined {
  const total = numberOf(keys) + further;
  const isOwner = keys.filter((key) => isValid(key, now)).every(({ scopes }) => scopes.every((scope) => caller.scopes.has(scope)));
  const limit = isOwner ? limits.perAccount : limits.perAccount - limits.reserved;
  if (total > limit) throw tooMany(limit, isOwner);
  if (isOwner) return undefined;
  const self = keys.find(({ id }) => id === caller.keyId);
  const counter = self ? counterOf(self) : caller.keyId;
  const created = numberOf(keys.filter((key) => key.countedBy === counter));
  if (created + further > limits.created) throw tooManyCreated(limits.created);
  return counter;
}

/**
 * Checks that a key may be rotated.
 * @param chain a key and all its rotations
 * @param further 1 before the rotation, 0 after it
 * @returns expired rotations that are not listed any longer
 * @throws AppError invalid_state
 */
export function requireRoomForRotation<T extends CountedKey>(chain: readonly T[], { rotations }: KeyLimits, now: Date, further: 0 | 1): T[] {
  const valid = chain.filter((key) => isValid(key, now));
  if (valid.length + further > rotations) throw tooManyRotations(rotations);
  const expired = chain.filter((key) => !isValid(key, now)).toSorted((one, other) => (endOf(one) < endOf(other) ? 1 : -1));
  return expired.slice(rotations);
}

const endOf = ({ expiresAt = '' }: CountedKey): string => expiresAt;
const numberOf = (keys: readonly CountedKey[]): number => new Set(keys.map(firstOfRotations)).size;
const isValid = ({ expiresAt }: CountedKey, now: Date): boolean => expiresAt === undefined || expiresAt > now.toISOString();

const tooMany = (limit: number, isOwner: boolean) =>
  limitReached(
    isOwner
      ? `The account has ${limit} keys, which is the maximum; revoke keys that are no longer needed.`
      : `The account has ${limit} keys or more. Only a key with every scope that the account's keys have can create another; revoke keys that are no longer needed.`,
  );
const tooManyCreated = (limit: number) => limitReached(`The calling key and the keys that it created have created ${limit} keys, which is the maximum; revoke keys that are no longer needed.`);
const tooManyRotations = (limit: number) => limitReached(`The key and its rotations are ${limit} valid keys, which is the maximum; revoke those that are no longer needed.`);
