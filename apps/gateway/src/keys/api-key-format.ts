import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
/** 62^6 > 2^32. */
const CHECKSUM_LENGTH = 6;
/** The prefix of a key, of a short-lived token and of a shared link, by that of its id: people and secret scanners see which one it is. */
const PREFIXES = { key: 'pl', tok: 'plt', lnk: 'pll' } as const;
type SecretKind = keyof typeof PREFIXES;
/** The prefix, the public id (the ULID of the key's id), the secret, the checksum. */
const FORMAT = /^(pl|plt|pll)_([0-9a-hjkmnp-tv-z]{26})([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** Fills the buffer with randomness fit for secrets. */
export type RandomBytes = (length: number) => Uint8Array;

/** @param id `key_<ulid>`, `tok_<ulid>` or `lnk_<ulid>` */
export function makeApiKey(id: string, random: RandomBytes): string {
  const [kind, publicId] = id.split('_') as [SecretKind, string];
  const body = `${PREFIXES[kind]}_${publicId}${makeSecret(random)}`;
  return body + checksum(body);
}

/** The id of the key, when its form and checksum are right: a typing error is found without a look-up. */
export const keyIdOf = (apiKey: string): string | undefined => idOf('key', apiKey);
/** The same of a short-lived token. */
export const tokenIdOf = (token: string): string | undefined => idOf('tok', token);
/** The same of the secret of a shared link. */
export const linkIdOf = (secret: string): string | undefined => idOf('lnk', secret);

function idOf(kind: SecretKind, text: string): string | undefined {
  const [, prefix, publicId, , given] = FORMAT.exec(text) ?? [];
  return prefix === PREFIXES[kind] && checksum(text.slice(0, -CHECKSUM_LENGTH)) === given ? `${kind}_${publicId}` : undefined;
}

/** The stored hash of a key, in hexadecimal. The key's 190 random bits need no slow hash. */
export const hashOfKey = (apiKey: string): string => hash('sha256', apiKey, 'hex');

/** Takes the same time wherever the two differ. */
export const hashesEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Every character equally likely: bytes past the last multiple of 62 are drawn again. */
function makeSecret(random: RandomBytes): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of random(SECRET_LENGTH)) {
      if (byte < 248 && secret.length < SECRET_LENGTH) secret += BASE62[byte % 62];
    }
  }
  return secret;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = `${BASE62[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
