import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { AttemptWindows } from './attempt-windows.js';
import { addressAttempts, emailAttempt } from './signup.js';

const LIMITS = { SIGNUPS_PER_HOUR: 5, SIGNUPS_PER_HOUR_TOTAL: 130 };
const ids = ulidGenerator();
const opened = new AsyncDisposableStack();
let now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-farming-'));
  opened.defer(() => rm(folder, { recursive: true }));
});
afterAll(() => opened.disposeAsync());

async function start(name: string) {
  const documents: DocumentDatabase = await openDocumentDatabase(`sqlite:${join(folder, `${name}.db`)}`, { clock, ids, log: silentLogger(), source: 'gateway' });
  opened.defer(() => documents.close());
  const attempts = new AttemptWindows(documents, clock);
  const signUp = (email: string, address: string) =>
    attempts.take(addressAttempts(address, LIMITS)).then(() => attempts.take([emailAttempt(email)])).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'rate_limited') return false;
        throw error;
      },
    );
  const stored = () => documents.collection({ name: 'signup_attempts', indexes: [{ fields: [], orderBy: 'expiresAt' }] }).count();
  return { signUp, stored };
}

/** Address number `index` of an IPv6 /32, each in a /48 of its own. */
const ofSlash32 = (index: number) => `2001:db8:${index.toString(16)}::1`;

async function accepted(count: number, signUp: (index: number) => Promise<boolean>): Promise<number> {
  let total = 0;
  for (let index = 0; index < count; index++) if (await signUp(index)) total++;
  return total;
}

describe('sign-ups of one farmer', () => {
  it('are no more in an hour than the cap for all, from 10,000 networks of one /32, and store no more than that', async () => {
    const { signUp, stored } = await start('total');
    expect(await accepted(10_000, (index) => signUp(`farmer${index}@example.org`, ofSlash32(index)))).toBe(130);
    // The address's /64, /56 and /48, the e-mail address, and one for all.
    expect(await stored()).toBeLessThanOrEqual(130 * 4 + 1);
    now = new Date(now.getTime() + 62 * 60_000);
    expect(await signUp('later@example.org', ofSlash32(1))).toBe(true);
  });

  it('are limited by each prefix that the farmer may own', async () => {
    const { signUp } = await start('ladder');
    const from = (address: (index: number) => string, tag: string) => accepted(100, (index) => signUp(`${tag}${index}@example.org`, address(index)));
    expect(await from((index) => `2001:db8:1:1::${index.toString(16)}`, 'in64-')).toBe(5);
    expect(await from((index) => `2001:db8:2:${(index % 256).toString(16)}::1`, 'in56-')).toBe(20);
    expect(await from((index) => `192.0.2.${index % 256}`, 'in24-')).toBe(20);
    expect(await from((index) => `2001:db8:3:${(index * 160).toString(16)}::1`, 'in48-')).toBe(80);
  });

  it('are five an hour for one mailbox, however it is spelled', async () => {
    const { signUp } = await start('mailbox');
    expect(await accepted(20, (index) => signUp(`ada+${index}@example.org`, `198.51.${index}.1`))).toBe(5);
  });
});
