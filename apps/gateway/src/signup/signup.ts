import { AppError } from '@parlance/platform';
import type { Account } from '../accounts/account.js';
import { accountDisabled, type Accounts } from '../accounts/accounts.js';
import type { Plans } from '../plans/index.js';
import type { AttemptWindows } from './attempt-windows.js';
import type { Mailer } from './mailer.js';
import { codeMail } from './code-mail.js';
import type { PendingSignup, PendingSignups } from './pending-signups.js';
import type { SignupConfig } from './signup-config.js';
import type { VerifiedEmails } from './verified-emails.js';

export interface SignupRequest {
  email: string;
  organization?: string | undefined;
}

export interface SignedUp {
  accountId: string;
  /** Shown once. */
  apiKey: string;
  /** Of the account's plan, used or not. */
  freeMinutes: number;
}

export type SignupOutcome = ({ kind: 'signed_up' } & SignedUp) | { kind: 'code_sent'; pending: PendingSignup };

interface SignupDependencies {
  config: Pick<SignupConfig, 'SIGNUP' | 'SIGNUPS_PER_HOUR'>;
  accounts: Accounts;
  plans: Pick<Plans, 'of'>;
  attempts: AttemptWindows;
  pending: PendingSignups;
  emails: VerifiedEmails;
  /** Of verified sign-ups. */
  mailer: Mailer | undefined;
}

/** Codes that an e-mail address gets in an hour, whoever asks for them. */
const MAILS_PER_HOUR = 5;

/**
 * How strangers become accounts. What is answered never depends on whether an address has an account: an open sign-up
 * proves nothing about the address and makes a new account each time; a verified one sends a code each time, and gives the
 * one who can read it a key to the account that the address has.
 */
export class Signup {
  constructor(private readonly dependencies: SignupDependencies) {}

  /** @param address where the request came from @throws AppError signup_closed, rate_limited, and what the mailer says */
  async begin({ email, organization }: SignupRequest, address: string): Promise<SignupOutcome> {
    const { config, accounts, attempts } = this.dependencies;
    if (config.SIGNUP === 'closed') throw closed();
    await attempts.take(`address ${address}`, config.SIGNUPS_PER_HOUR);
    const request = { email: email.toLowerCase(), organization };
    if (config.SIGNUP === 'verified') return this.sendCode(request);
    const { account, key } = await accounts.create(request);
    return { kind: 'signed_up', ...this.signedUp(account, key.apiKey) };
  }

  /** May be repeated until its answer has arrived: each time gives a key to the same account. @throws AppError signup_closed, code_invalid, account_disabled */
  async verify(signupId: string, code: string): Promise<SignedUp> {
    const { config, accounts, pending, emails } = this.dependencies;
    if (config.SIGNUP === 'closed') throw closed();
    const { email, organization, accountId } = await pending.check(signupId, code.replaceAll(/[\s-]/g, ''));
    const owner = await emails.claim(email, accountId);
    const account = await accounts.ensure(owner, { email, organization, emailVerified: true });
    if (account.disabledAt !== undefined) throw accountDisabled();
    const { apiKey } = await accounts.issueFirstKey(account.id);
    await pending.end(signupId);
    return this.signedUp(account, apiKey);
  }

  async sweep(): Promise<void> {
    await this.dependencies.pending.sweep();
    await this.dependencies.attempts.sweep();
  }

  private signedUp(account: Account, apiKey: string): SignedUp {
    return { accountId: account.id, apiKey, freeMinutes: this.dependencies.plans.of(account).freeSeconds / 60 };
  }

  private async sendCode(request: SignupRequest): Promise<SignupOutcome> {
    const { mailer, attempts, pending: signups } = this.dependencies;
    if (!mailer) throw new Error('SIGNUP=verified has no mail server; the start checks it.');
    await attempts.take(`email ${request.email}`, MAILS_PER_HOUR);
    const { pending, code } = await signups.begin(request);
    await mailer.send(codeMail(request.email, code));
    return { kind: 'code_sent', pending };
  }
}

const closed = () => new AppError({ kind: 'forbidden', code: 'signup_closed', message: 'Accounts are made by the operator of this service alone.' });
