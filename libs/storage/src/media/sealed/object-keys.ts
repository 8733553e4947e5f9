import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto';
import type { DataKey, DataKeys } from '../../keys/data-keys.js';
import { randomNonce } from '../../keys/random-nonce.js';
import { wrongKey } from '../../keys/provider/keys-unavailable.js';
import { TAG_BYTES } from './tink-segments.js';

/** A random id that every block of an object begins with. */
export const OBJECT_ID_BYTES = 16;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;

/** The account and the holder that a media key, `<account>/<holder>/…`, belongs to; what lies beside the holders is the account's own. */
export function ownerOf(key: string): { accountId: string; holder: string } {
  const [accountId = '', holder = '', ...rest] = key.split('/');
  return { accountId, holder: rest.length === 0 ? '' : holder };
}

/** @throws AppError key_destroyed, keys_unavailable */
export async function existingKey(keys: DataKeys, mediaKey: string): Promise<DataKey> {
  const { accountId, holder } = ownerOf(mediaKey);
  const found = await keys.find(accountId, holder);
  if (!found) throw wrongKey(`The key of ${holder || accountId}, which sealed media, is missing in the database of keys.`);
  return found;
}

/** The key of one object: another one for each object, and for each place that it could be moved to. */
export const objectKey = ({ key }: DataKey, objectId: Uint8Array, mediaKey: string): Buffer => derive(key, objectId, `parlance media object ${mediaKey}`);

/** Seals the key of an object for a copy of it. */
export function wrapObjectKey(holderKey: DataKey, objectId: Uint8Array, copyKey: string, clear: Uint8Array): Buffer {
  const nonce = randomNonce(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, copyWrappingKey(holderKey, objectId, copyKey), nonce);
  return Buffer.concat([nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
}

/** @returns undefined when it was sealed with another key, or for another copy */
export function unwrapObjectKey(holderKey: DataKey, objectId: Uint8Array, copyKey: string, wrapped: Uint8Array): Buffer | undefined {
  const end = wrapped.byteLength - TAG_BYTES;
  if (end < NONCE_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, copyWrappingKey(holderKey, objectId, copyKey), wrapped.subarray(0, NONCE_BYTES)).setAuthTag(wrapped.subarray(end));
    return Buffer.concat([decipher.update(wrapped.subarray(NONCE_BYTES, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const copyWrappingKey = ({ key }: DataKey, objectId: Uint8Array, copyKey: string): Buffer => derive(key, objectId, `parlance media copy ${copyKey}`);

/** The key is passed as a key object for the reason that `segmentKey` gives. */
const derive = (key: Uint8Array, salt: Uint8Array, info: string): Buffer => Buffer.from(hkdfSync('sha256', createSecretKey(key), salt, info, 32));
