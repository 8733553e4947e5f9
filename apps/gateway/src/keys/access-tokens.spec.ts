import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { AccessTokens } from './access-tokens.js';

const SECOND_MS = 1000;
const opened = new AsyncDisposableStack();
let now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
let tokens: AccessTokens;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-tokens-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const ids = ulidGenerator();
  const documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock, ids, log: silentLogger(), source: 'gateway' });
  opened.defer(() => documents.close());
  tokens = new AccessTokens(documents, clock, ids, (length) => randomBytes(length));
});
afterAll(() => opened.disposeAsync());

it('tokens of an account have a limit, within which expired ones make room for new ones', async () => {
  const issue = (expiresInSeconds: number, accountId = 'acc_1', keyId = 'key_1', use?: 'realtime') => tokens.issue({ accountId, keyId }, { scopes: ['transcriptions:read'], expiresInSeconds, ...(use && { use }) });
  const { limit } = await tokens.limitOf('acc_1');
  const { token: ephemeral } = await issue(1, 'acc_1', 'key_1', 'realtime');
  await Promise.all(Array.from({ length: limit - 1 }, (_, index) => issue(index < 2 ? 1 : 60, 'acc_1', index < 50 ? 'key_1' : 'key_2')));
  await expect(issue(60)).rejects.toMatchObject({ code: 'invalid_state', reason: 'limit_reached' });
  await issue(60, 'acc_2');
  now = new Date(now.getTime() + 2 * SECOND_MS);
  await issue(60);
  await issue(60);
  expect(await tokens.limitOf('acc_1')).toEqual({ used: limit, limit });
  await expect(issue(60)).rejects.toMatchObject({ code: 'invalid_state', reason: 'limit_reached' });
  // Connections that it opened are open.
  expect(await tokens.get(ephemeral.id)).toBeDefined();
  await tokens.removeOfKey('acc_1', 'key_2');
  expect(await tokens.limitOf('acc_1')).toMatchObject({ used: 51 });
});
