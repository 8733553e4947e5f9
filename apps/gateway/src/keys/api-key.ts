import type { Document } from '@parlance/storage';
import { hashOfKey, keyIdOf } from './api-key-format.js';
import type { CountedKey } from './key-room.js';
import type { Scope } from './scope.js';

/** A key as it is stored; its secret is not. */
export interface ApiKey extends Document, CountedKey {
  id: string;
  accountId: string;
  name: string;
  scopes: readonly Scope[];
  /** SHA-256 of the whole key, hexadecimal. */
  hash: string;
  /** From then on it is refused. */
  expiresAt?: string;
  /** Set on a rotated key: the expiry it had before, which is that of its successor. */
  rotated?: { expiresAt?: string };
  /** The project whose resources alone it reaches. */
  projectId?: string;
  /** Chosen by the operator, and perhaps of another form than ours. */
  adopted?: true;
  /** Since when a call revokes or rotates it, or creates it and may withdraw it. Such a key does not count as one that stays. */
  endingSince?: string;
}

/** The id that a key of our form names; of any other, one made from its hash. */
export const adoptedId = (apiKey: string): string => keyIdOf(apiKey) ?? idOfHash(hashOfKey(apiKey));

/** The id of a key that names none. */
export const idOfHash = (hash: string): string => `key_${hash.slice(0, 26)}`;

/** When what a rotation puts in its place ends; undefined when it does not. */
export const successorEnd = ({ expiresAt, rotated = endOf(expiresAt) }: ApiKey): string | undefined => rotated.expiresAt;

/** The end of a key as its rotation keeps it. */
export const endOf = (expiresAt: string | undefined): NonNullable<ApiKey['rotated']> => (expiresAt === undefined ? {} : { expiresAt });
