import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '@parlance/platform';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * An answer with a secret, such as a new API key, encrypted with a key that is derived (HKDF, RFC 5869) from the API key of the request.
 * The server stores only the hash of that API key, so that the database alone does not open the answer.
 * @param name of the record that the answer is kept in; the key is derived for it alone
 */
export function seal(answer: string, apiKey: string, name: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(apiKey, name), nonce);
  return Buffer.concat([nonce, cipher.update(answer, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** @throws AppError invalid_state when it was sealed with another API key */
export function unseal(sealed: string, apiKey: string, name: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(CIPHER, keyOf(apiKey, name), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES }).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch (cause) {
    const message = 'The call was made with another API key, which alone can read its response again: it contains a secret.';
    throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'secret_shown_once', message, cause });
  }
}

const keyOf = (apiKey: string, name: string): Buffer => Buffer.from(hkdfSync('sha256', apiKey, name, 'parlance: an answer under an Idempotency-Key', 32));
