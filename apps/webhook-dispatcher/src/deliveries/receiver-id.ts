import { createHash } from 'node:crypto';

/**
 * Names the receiver of an account's deliveries to one address: origin and path, since one host may have the hooks of many
 * receivers. The path may hold a secret, so it is hashed. The query often differs from job to job, so it is left out.
 */
export const receiverId = (accountId: string, url: string): string => `${accountId} ${addressOf(url)}`;

const MAX_KNOWN = 1_000;
const known = new Map<string, string>();

function addressOf(url: string): string {
  const before = known.get(url);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const address = parsedAddress(url);
  known.set(url, address);
  return address;
}

function parsedAddress(url: string): string {
  const parsed = URL.parse(url);
  return `${parsed?.origin ?? 'none'} ${shortHash(parsed?.pathname ?? url)}`;
}

export function partsOfReceiverId(receiver: string): { accountId: string; origin: string } {
  const [accountId = '', origin = ''] = receiver.split(' ');
  return { accountId, origin };
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
