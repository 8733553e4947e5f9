import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Names the format, so that a later one can be distinguished. */
const VERSION = 'v1.';

/** The setting of services that seal or open secrets of callers. */
export const secretsConfig = {
  SECRETS_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, `must be ${KEY_BYTES} bytes in base64, as by openssl rand -base64 ${KEY_BYTES}`)
    .optional()
    .describe(`Key that seals secrets of callers in the database, such as audio_headers and the headers of webhooks, and hashes what jobs redact: ${KEY_BYTES} bytes in base64, the same in all services. Without it such fields are refused. npm start makes one in $PARLANCE_DATA/secrets-key. With another key, what was sealed before cannot be read`),
} as const;

/** A new key for SECRETS_KEY. */
export const newSecretsKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/** Seals small texts (AES-256-GCM with a random nonce), so that a database or its backup does not show them. */
export class SecretBox {
  private constructor(private readonly key: Buffer) {}

  /** @returns undefined where the operator has set no key */
  static of({ SECRETS_KEY: key }: { SECRETS_KEY?: string | undefined }): SecretBox | undefined {
    return key === undefined ? undefined : new SecretBox(Buffer.from(key, 'base64'));
  }

  /** A key of another use, in base64: 32 bytes from the box's key by HKDF, always the same for the same use. */
  derivedKey(use: string): string {
    return Buffer.from(hkdfSync('sha256', this.key, Buffer.alloc(0), use, KEY_BYTES)).toString('base64');
  }

  /** @param context what the secret belongs to: it can be opened for the same alone */
  seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(context));
    return VERSION + Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /** @returns undefined when it was sealed with another key or for another context, or was changed */
  open(sealed: string, context: string): string | undefined {
    if (!sealed.startsWith(VERSION)) return undefined;
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES }).setAuthTag(bytes.subarray(-TAG_BYTES)).setAAD(Buffer.from(context));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
