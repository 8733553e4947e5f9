import type { Logger } from '@parlance/platform';
import type { ServiceContext } from '@parlance/runtime';
import type { Accounts } from '../accounts/accounts.js';
import type { Plans } from '../plans/index.js';
import { AttemptWindows } from './attempt-windows.js';
import type { Mailer } from './mailer.js';
import { PendingSignups, type RandomBelow } from './pending-signups.js';
import { Signup } from './signup.js';
import type { signupConfig } from './signup-config.js';
import type { SmtpSettings } from './smtp-mailer.js';
import { VerifiedEmails } from './verified-emails.js';

/** On the documents that all replicas share. */
export async function createSignup(context: ServiceContext<typeof signupConfig>, { accounts, plans }: { accounts: Accounts; plans: Plans }, random: RandomBelow): Promise<Signup> {
  const { config, documents, clock, ids, log } = context;
  const { SMTP_URL: url, SMTP_PASSWORD: password, SMTP_FROM: from } = config;
  return new Signup({
    config,
    accounts,
    plans,
    attempts: new AttemptWindows(documents, clock),
    pending: new PendingSignups(documents, clock, ids, random),
    emails: new VerifiedEmails(documents, clock, config.SIGNUP_UNIQUE),
    mailer: url !== undefined && from !== undefined ? await smtpMailer({ url, password, from }, log) : undefined,
  });
}

/** Loads the mail client only where mail is sent. */
async function smtpMailer(settings: SmtpSettings, log: Logger): Promise<Mailer> {
  const { SmtpMailer } = await import('./smtp-mailer.js');
  return new SmtpMailer(settings, log);
}
