import { createHmac, randomBytes } from 'node:crypto';
import { usageError } from '../failures.js';

const PREFIX = 'whsec_';

export const newSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/** The headers of a webhook by Standard Webhooks. @throws CommandError when the secret is none */
export function webhookHeaders(id: string, body: string, secret: string, now: Date): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1000).toString();
  const signature = createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** @throws CommandError when the secret is none */
export function secretBytes(secret: string): Buffer {
  const bytes = Buffer.from(secret.replace(PREFIX, ''), 'base64');
  if (!secret.startsWith(PREFIX) || bytes.length === 0) throw usageError('PARLANCE_WEBHOOK_SECRET is not a secret of webhooks: whsec_ and base64.');
  return bytes;
}
