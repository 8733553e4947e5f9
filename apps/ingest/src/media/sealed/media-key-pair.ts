import { hkdfSync, type webcrypto } from 'node:crypto';
import type { CollectionDefinition, DataKey, Document } from '@parlance/storage';

/**
 * A key pair that clients encrypt recordings to (X25519, as age has it). The private key is not here: it is derived from the data key
 * that the document's id holds for `MEDIA_KEYS_OWNER`, so that the destruction of that key destroys it in every backup.
 */
export interface MediaKeyPair extends Document {
  /** A recipient of age, `age1…`. */
  recipient: string;
  /** 1, and one more with each rotation. */
  number: number;
}

export const mediaKeyPairs: CollectionDefinition<MediaKeyPair> = {
  name: 'media_keys',
  data: { what: 'public keys that clients encrypt recordings to', purpose: 'sealed uploads', kept: 'until no recording needs them' },
  indexes: [],
};

export const holderOf = (number: number): string => `mk_${number}`;

/** The PKCS #8 encoding of an X25519 private key (RFC 8410), up to the key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const INFO = 'parlance media key x25519';

/**
 * The private key, which cannot be exported from the memory of WebCrypto.
 * @param secret of ingest alone, in base64
 */
export async function privateKeyOf({ key }: DataKey, secret = ''): Promise<webcrypto.CryptoKey> {
  const scalar = Buffer.from(hkdfSync('sha256', key, Buffer.from(secret, 'base64'), INFO, 32));
  return crypto.subtle.importKey('pkcs8', Buffer.concat([PKCS8_PREFIX, scalar]), 'X25519', false, ['deriveBits']);
}

export async function recipientOf(privateKey: webcrypto.CryptoKey): Promise<string> {
  const { identityToRecipient } = await import('age-encryption');
  return identityToRecipient(privateKey);
}
