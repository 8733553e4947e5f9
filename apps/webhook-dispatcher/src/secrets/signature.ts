import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

export interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The value of `webhook-signature`: one `v1,<base64>` a secret, spaces between (Standard Webhooks, "Symmetric signatures"). */
export function signatures(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  return secrets
    .map((secret) => {
      return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

/** Making a key takes longer than signing with it. */
const KEYS_KEPT = 1_000;
const keys = new Map<string, KeyObject>();

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  if (keys.size >= KEYS_KEPT) keys.clear();
  const key = createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64');
  keys.set(secret, key);
  return key;
}
