import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path/posix';
import { AppError } from '@parlance/platform';
import { assertMediaKey } from '../media-key.js';
import type { StoredObject } from '../media-store.js';
import { clearSize } from './sealed-layout.js';

/**
 * The first of all characters that a key may have, so that sealed objects have the order of their keys, and so that an object
 * that was stored in clear stands right before the sealed one of its key.
 */
const MARK = '-';
const HIDDEN_MARK = '--';

/** The name of the object's bytes in the store below. */
export const bodyName = (key: string): string => `${key}${MARK}`;

/** The name of the wrapped key of a copy. It has the id of the object, so that another object under the key has another one. */
export const copyKeyName = (key: string, objectId: Uint8Array): string => `${key}${MARK}${Buffer.from(objectId).toString('hex')}${HIDDEN_MARK}`;

export const tailPrefix = (key: string): string => `${dirname(key)}/tail-`;
export const tailName = (key: string): string => `${tailPrefix(key)}${randomUUID()}${HIDDEN_MARK}`;

export const isHidden = (name: string): boolean => name.endsWith(HIDDEN_MARK);
const isBody = (name: string): boolean => name.endsWith(MARK) && !isHidden(name);

/** True for all that this store has written below. */
export const isOwnName = (name: string): boolean => name.endsWith(MARK);

/** True for the wrapped key of a copy under this key. */
export const isCopyKeyOf = (key: string, name: string): boolean => isHidden(name) && name.length === key.length + MARK.length + 32 + HIDDEN_MARK.length && name.startsWith(bodyName(key));

/** An object of the store below as callers see it; undefined for those that only this store uses. */
export function asListed({ key: name, sizeBytes }: StoredObject): StoredObject | undefined {
  if (isHidden(name)) return undefined;
  return isBody(name) ? { key: name.slice(0, -MARK.length), sizeBytes: clearSize(sizeBytes) } : { key: name, sizeBytes };
}

/** @throws AppError invalid_media_key */
export function assertSealableKey(key: string): void {
  assertMediaKey(key);
  if (key.endsWith(MARK)) throw new AppError({ kind: 'invalid', code: 'invalid_media_key', message: 'The key of sealed media does not end in "-".' });
}
