import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { Accounts } from '../accounts/accounts.js';
import { ApiKeys } from '../keys/api-keys.js';
import { defaultPlans } from '../../test/default-plans.js';
import { AttemptWindows } from './attempt-windows.js';
import type { Mail } from './mailer.js';
import { PendingSignups } from './pending-signups.js';
import { Signup } from './signup.js';
import { VerifiedEmails } from './verified-emails.js';

let now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
const ids = ulidGenerator();
const opened = new AsyncDisposableStack();
let documents: DocumentDatabase;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-signup-'));
  opened.defer(() => rm(folder, { recursive: true }));
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock, ids, log: silentLogger(), source: 'gateway' });
  opened.defer(() => documents.close());
});
afterAll(() => opened.disposeAsync());

function start(mode: 'verified' | 'closed' = 'verified') {
  const mails: Mail[] = [];
  const keys = new ApiKeys(documents, clock, ids, (length) => new Uint8Array(length).fill(ids.next('req').charCodeAt(28)));
  const accounts = new Accounts(documents, keys, defaultPlans(), clock, ids);
  const signup = new Signup({
    config: { SIGNUP: mode, SIGNUPS_PER_HOUR: 1000, SIGNUPS_PER_HOUR_TOTAL: 1000 },
    accounts,
    plans: defaultPlans(),
    attempts: new AttemptWindows(documents, clock),
    pending: new PendingSignups(documents, clock, ids, () => 42),
    emails: new VerifiedEmails(documents, clock),
    mailer: { send: async (mail) => void mails.push(mail) },
  });
  return { signup, accounts, mails };
}

const CODE = '00000042';

async function begin(signup: Signup, email: string): Promise<string> {
  await signup.admit('192.0.2.1');
  const outcome = await signup.begin({ email });
  if (outcome.kind !== 'code_sent') throw new Error(outcome.kind);
  return outcome.pending.id;
}

describe('a sign-up that waits for its code', () => {
  it('ends after a quarter of an hour, and is then swept away', async () => {
    const { signup, mails } = start();
    const id = await begin(signup, 'late@example.org');
    expect(mails[0]?.text).toContain('0000 0042');
    now = new Date(now.getTime() + 15 * 60_000);
    await expect(signup.verify(id, CODE)).rejects.toMatchObject({ code: 'code_invalid' });
    now = new Date(now.getTime() + 60 * 60_000);
    await signup.sweep();
    for (const name of ['signups', 'signup_attempts']) {
      expect(await documents.collection({ name, indexes: [{ fields: [], orderBy: 'expiresAt' }] }).count()).toBe(0);
    }
  });

  it('makes one account of an address, however many codes are used at once', async () => {
    const { signup } = start();
    const two = [await begin(signup, 'twice@example.org'), await begin(signup, 'twice@example.org')];
    const made = await Promise.all(two.map((id) => signup.verify(id, CODE)));
    expect(new Set(made.map(({ accountId }) => accountId)).size).toBe(1);
  });

  it('does not open an account that its operator has disabled', async () => {
    const { signup, accounts } = start();
    const { accountId } = await signup.verify(await begin(signup, 'off@example.org'), CODE);
    await accounts.disable(accountId);
    await expect(signup.verify(await begin(signup, 'off@example.org'), CODE)).rejects.toMatchObject({ code: 'account_disabled' });
  });

  it('makes one account of a mailbox, and does not lead one spelling into the account of another', async () => {
    const { signup } = start();
    const plain = await signup.verify(await begin(signup, 'one.box+a@gmail.com'), CODE);
    for (const other of ['onebox@gmail.com', 'ONE.BOX+b@googlemail.com']) {
      await expect(signup.verify(await begin(signup, other), CODE)).rejects.toMatchObject({ code: 'mailbox_taken' });
    }
    expect((await signup.verify(await begin(signup, 'One.Box+a@gmail.com'), CODE)).accountId).toBe(plain.accountId);
  });

  it('is not to be had where signing up is closed', async () => {
    const { signup } = start('closed');
    await expect(signup.admit('192.0.2.1')).rejects.toMatchObject({ code: 'signup_closed' });
    expect(() => signup.requireOpen()).toThrow(expect.objectContaining({ code: 'signup_closed' }));
  });
});
