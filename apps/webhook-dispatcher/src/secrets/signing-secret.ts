import { randomBytes } from 'node:crypto';
import { SECRET_PREFIX } from './signature.js';

/** A secret as it is stored. */
export interface StoredSecret {
  secret: string;
  /** Sign beside the present one until they expire; the newest first. */
  retired?: { secret: string; expiresAt: string }[];
  /** Until then the account's secret signs as well: the receiver had no own secret before. RFC 3339. */
  accountSecretUntil?: string;
}

/** A secret as its owner reads it. */
export interface SigningSecret {
  /** `whsec_…` */
  secret: string;
  /** Earlier secrets that still sign, the newest first. */
  retired: { secret: string; expiresAt: Date }[];
}

export interface RotationOptions {
  /** No earlier secret signs any more. */
  revokePrevious?: boolean | undefined;
}

/** Between the 24 and 64 bytes that Standard Webhooks asks for. */
const SECRET_BYTES = 32;
const OVERLAP_MS = 24 * 3600 * 1000;
/** Each retired secret is one more signature in a header. */
const MAX_RETIRED = 4;

export const newSecret = (random: (bytes: number) => Buffer = randomBytes): string => SECRET_PREFIX + random(SECRET_BYTES).toString('base64');

export function presentSecret(stored: StoredSecret, now: Date): SigningSecret {
  const retired = unexpired(stored, now).map(({ secret, expiresAt }) => ({ secret, expiresAt: new Date(expiresAt) }));
  return { secret: stored.secret, retired };
}

export const secretsOf = ({ secret, retired }: SigningSecret): string[] => [secret, ...retired.map((before) => before.secret)];

/** The former secret signs for another 24 h, also when a caller that did not get the answer rotates again. */
export function rotatedSecret(before: StoredSecret | undefined, secret: string, now: Date, { revokePrevious = false }: RotationOptions): StoredSecret {
  if (!before || revokePrevious) return { secret };
  const retired = [{ secret: before.secret, expiresAt: overlapEnd(now) }, ...unexpired(before, now)].slice(0, MAX_RETIRED);
  return { secret, retired, ...(before.accountSecretUntil !== undefined && { accountSecretUntil: before.accountSecretUntil }) };
}

/** As `rotatedSecret`, for a receiver that shares the account's secret until it has its own. */
export function rotatedReceiverSecret(before: StoredSecret | undefined, secret: string, now: Date, options: RotationOptions): StoredSecret {
  if (before || options.revokePrevious) return rotatedSecret(before, secret, now, options);
  return { secret, accountSecretUntil: overlapEnd(now) };
}

export const acceptsAccountSecret = ({ accountSecretUntil }: StoredSecret, now: Date): boolean =>
  accountSecretUntil !== undefined && accountSecretUntil > now.toISOString();

const overlapEnd = (now: Date): string => new Date(now.getTime() + OVERLAP_MS).toISOString();

const unexpired = ({ retired = [] }: StoredSecret, now: Date) => retired.filter(({ expiresAt }) => expiresAt > now.toISOString());
