import { addressLimits } from '../http/address-limits.js';
import type { AttemptLimit } from './attempt-windows.js';
import { mailboxOf } from './mailbox.js';
import type { SignupConfig } from './signup-config.js';

/** Sign-ups an hour for one e-mail address, from any network: each sends a mail where addresses are verified. */
const PER_EMAIL = 5;

/** The subjects that an attempt counts against, from the narrowest to the widest. */
export function addressAttempts(address: string, config: Pick<SignupConfig, 'SIGNUPS_PER_HOUR' | 'SIGNUPS_PER_HOUR_TOTAL'>): AttemptLimit[] {
  const ladder = addressLimits(address, config.SIGNUPS_PER_HOUR).map(({ group, limit }) => ({ subject: `address ${group}`, perHour: limit }));
  return [...ladder, { subject: 'all', perHour: config.SIGNUPS_PER_HOUR_TOTAL }];
}

export const emailAttempt = (email: string): AttemptLimit => ({ subject: `email ${mailboxOf(email)}`, perHour: PER_EMAIL });
