import { createHash } from 'node:crypto';

/**
 * Names the line that an account's deliveries to one address stand in: origin and path, since many hosts have the hooks of
 * many receivers. The path may hold a secret, and is hashed; what is behind it often differs from job to job, and is left out.
 */
export const receiverId = (accountId: string, url: string): string => `${accountId} ${addressOf(url)}`;

const MOST_KNOWN = 1_000;
const known = new Map<string, string>();

function addressOf(url: string): string {
  const before = known.get(url);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const address = parsedAddress(url);
  known.set(url, address);
  return address;
}

function parsedAddress(url: string): string {
  const parsed = URL.parse(url);
  return `${parsed?.origin ?? 'none'} ${shortHash(parsed?.pathname ?? url)}`;
}

/** Whose shares a turn of this receiver takes. */
export function shareholdersOf(receiver: string): { accountId: string; origin: string } {
  const [accountId = '', origin = ''] = receiver.split(' ');
  return { accountId, origin };
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
