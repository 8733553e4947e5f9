import { createHmac, randomBytes } from 'node:crypto';

/** A secret as it is stored. */
export interface StoredSecret {
  /** `whsec_…` */
  secret: string;
  /** Sign beside the present one until they expire; the newest first. */
  retired?: { secret: string; expiresAt: string }[];
  /** Until then the account's secret signs as well: the receiver had no own secret before. RFC 3339. */
  accountSecretUntil?: string;
}

export interface RotationOptions {
  /** No earlier secret signs any more. */
  revokePrevious?: boolean | undefined;
}

const PREFIX = 'whsec_';
/** Between the 24 and 64 bytes that Standard Webhooks asks for. */
const SECRET_BYTES = 32;
const OVERLAP_MS = 24 * 3600 * 1000;
/** Each retired secret is one more signature in a header. */
const MAX_RETIRED = 4;

export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The secrets that sign now, the newest first. */
export const signersOf = (stored: StoredSecret, now: Date): string[] => [stored.secret, ...unexpired(stored, now).map(({ secret }) => secret)];

/** Until when an earlier secret signs as well. */
export function previousExpiry(stored: StoredSecret, now: Date): Date | undefined {
  const until = unexpired(stored, now)[0]?.expiresAt ?? (acceptsAccountSecret(stored, now) ? stored.accountSecretUntil : undefined);
  return until === undefined ? undefined : new Date(until);
}

/**
 * The former secret signs for another 24 h, also when a caller that did not get the answer rotates again.
 * @param isReceivers true for a receiver, which shares the account's secret until it has its own
 */
export function rotatedSecret(before: StoredSecret | undefined, now: Date, { revokePrevious = false }: RotationOptions, isReceivers: boolean): StoredSecret {
  const secret = newSecret();
  if (revokePrevious) return { secret };
  if (!before) return isReceivers ? { secret, accountSecretUntil: overlapEnd(now) } : { secret };
  const retired = [{ secret: before.secret, expiresAt: overlapEnd(now) }, ...unexpired(before, now)].slice(0, MAX_RETIRED);
  return { secret, retired, ...(before.accountSecretUntil !== undefined && { accountSecretUntil: before.accountSecretUntil }) };
}

export const acceptsAccountSecret = ({ accountSecretUntil }: StoredSecret, now: Date): boolean =>
  accountSecretUntil !== undefined && accountSecretUntil > now.toISOString();

const overlapEnd = (now: Date): string => new Date(now.getTime() + OVERLAP_MS).toISOString();

const unexpired = ({ retired = [] }: StoredSecret, now: Date) => retired.filter(({ expiresAt }) => expiresAt > now.toISOString());

/**
 * The value of `webhook-signature`: one `v1,<base64>` a secret, spaces between (Standard Webhooks, "Symmetric signatures").
 * @param message its timestamp in seconds since 1970
 */
export function signatures(secrets: readonly string[], { id, timestamp, body }: { id: string; timestamp: number; body: string }): string {
  const sign = (secret: string) => createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64')).update(`${id}.${timestamp}.${body}`);
  return secrets.map((secret) => `v1,${sign(secret).digest('base64')}`).join(' ');
}
