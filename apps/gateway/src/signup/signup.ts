import { AppError } from '@parlance/platform';
import type { Account } from '../accounts/account.js';
import { accountDisabled, type Accounts } from '../accounts/accounts.js';
import type { IssuedKey } from '../keys/api-keys.js';
import type { Plans } from '../plans/index.js';
import { addressLimits } from '../http/address-limits.js';
import type { AttemptLimit, AttemptWindows } from './attempt-windows.js';
import { mailboxOf } from './mailbox.js';
import type { Mail, Mailer } from './mailer.js';
import { CODE_MINUTES, type PendingSignup, type PendingSignups } from './pending-signups.js';
import type { SignupConfig } from './signup-config.js';
import type { VerifiedEmails } from './verified-emails.js';

interface SignupRequest {
  email: string;
  organization?: string | undefined;
}

export interface SignedUp {
  accountId: string;
  keyId: string;
  /** Shown once. */
  apiKey: string;
  /** The free minutes of the account's plan, used or not. */
  freeMinutes: number;
}

type SignupOutcome = ({ kind: 'signed_up' } & SignedUp) | { kind: 'code_sent'; pending: PendingSignup };

interface SignupDependencies {
  config: Pick<SignupConfig, 'SIGNUP' | 'SIGNUPS_PER_HOUR' | 'SIGNUPS_PER_HOUR_TOTAL'>;
  accounts: Accounts;
  plans: Pick<Plans, 'of'>;
  attempts: AttemptWindows;
  pending: PendingSignups;
  emails: VerifiedEmails;
  /** The mailer of verified sign-ups. */
  mailer: Mailer | undefined;
}

/**
 * Creates accounts for strangers. The answer never depends on whether an address has an account: an open sign-up proves
 * nothing about the address and creates a new account each time; a verified one sends a code each time, and gives its reader a
 * key to the account of that address.
 */
export class Signup {
  constructor(private readonly dependencies: SignupDependencies) {}

  /** @throws AppError signup_closed */
  requireOpen(): void {
    if (this.dependencies.config.SIGNUP === 'closed') throw closed();
  }

  /** Counts an attempt, before its body is read: one that is refused later counts as well. @param address where the request came from @throws AppError signup_closed, rate_limited */
  async admit(address: string): Promise<void> {
    this.requireOpen();
    const { config, attempts } = this.dependencies;
    await attempts.take(addressAttempts(address, config));
  }

  /** Starts the sign-up of an admitted caller. @throws AppError rate_limited, and the mailer's errors */
  async begin({ email, organization }: SignupRequest): Promise<SignupOutcome> {
    const { config, accounts, attempts } = this.dependencies;
    const request = { email: email.toLowerCase(), organization };
    await attempts.take([emailAttempt(request.email)]);
    if (config.SIGNUP === 'verified') return this.sendCode(request);
    const { account, key } = await accounts.create(request);
    return { kind: 'signed_up', ...this.signedUp(account, key) };
  }

  /** May be repeated until its answer has arrived: each time gives a key to the same account. @throws AppError code_invalid, mailbox_taken, account_disabled */
  async verify(signupId: string, code: string): Promise<SignedUp> {
    const { accounts, pending, emails } = this.dependencies;
    const { email, organization, accountId } = await pending.check(signupId, code.replaceAll(/[\s-]/g, ''));
    const owner = await emails.claim(email, accountId);
    const account = await accounts.ensure(owner, { email, organization, emailVerified: true });
    if (account.disabledAt !== undefined) throw accountDisabled();
    const issued = await accounts.issueFirstKey(account.id);
    await pending.end(signupId);
    return this.signedUp(account, issued);
  }

  async sweep(): Promise<void> {
    await this.dependencies.pending.sweep();
    await this.dependencies.attempts.sweep();
  }

  private signedUp(account: Account, { key, apiKey }: IssuedKey): SignedUp {
    return { accountId: account.id, keyId: key.id, apiKey, freeMinutes: this.dependencies.plans.of(account).freeSeconds / 60 };
  }

  private async sendCode(request: SignupRequest): Promise<SignupOutcome> {
    const { mailer, pending: signups } = this.dependencies;
    if (!mailer) throw new Error('SIGNUP=verified has no mail server; the start-up check should have refused this.');
    const { pending, code } = await signups.begin(request);
    await mailer.send(codeMail(request.email, code));
    return { kind: 'code_sent', pending };
  }
}

const closed = () => new AppError({ kind: 'forbidden', code: 'signup_closed', message: 'Only the operator of this service creates accounts.' });

/** The mail contains no text of the requester, because it is sent to any address that the requester names. */
function codeMail(to: string, code: string): Mail {
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
  return {
    to,
    subject: `${shown} is your code for Parlance`,
    text: [
      `Your code is ${shown}`,
      '',
      `It works once, within ${CODE_MINUTES} minutes.`,
      '',
      'Somebody, most likely you, signed up with this address. If it was not you, no action is needed: the code is required to create the account.',
      '',
    ].join('\n'),
  };
}

/** Sign-ups an hour for one e-mail address, from any network: each sends a mail where addresses are verified. */
const PER_EMAIL = 5;

/** The subjects that an attempt counts against, from the narrowest to the widest. */
export function addressAttempts(address: string, config: Pick<SignupConfig, 'SIGNUPS_PER_HOUR' | 'SIGNUPS_PER_HOUR_TOTAL'>): AttemptLimit[] {
  const ladder = addressLimits(address, config.SIGNUPS_PER_HOUR).map(({ group, limit }) => ({ subject: `address ${group}`, perHour: limit }));
  return [...ladder, { subject: 'all', perHour: config.SIGNUPS_PER_HOUR_TOTAL }];
}

export const emailAttempt = (email: string): AttemptLimit => ({ subject: `email ${mailboxOf(email)}`, perHour: PER_EMAIL });
