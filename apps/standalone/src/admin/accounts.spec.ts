import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountTools, type AccountTools } from '@parlance/gateway/operators';
import { Plans, plansConfig } from '@parlance/gateway/plans';
import { readConfig, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { runAdmin } from './run-admin.js';

const opened = new AsyncDisposableStack();
let dataFolder: string;
/** As the running gateway has it. */
let gateway: AccountTools;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'parlance-admin-accounts-'));
  opened.defer(() => rm(dataFolder, { recursive: true }));
  await mkdir(join(dataFolder, 'documents'));
  const ids = ulidGenerator();
  const documents = await openDocumentDatabase(`sqlite:${join(dataFolder, 'documents', 'gateway.db')}`, { clock: systemClock, ids, log: silentLogger(), source: 'gateway' });
  opened.defer(() => documents.close());
  gateway = accountTools(documents, Plans.from(readConfig(plansConfig, { env: {}, readFile: () => '' }), silentLogger()), systemClock, ids);
});
afterAll(() => opened.disposeAsync());

/** In this process; what it printed, and its exit code. */
async function admin(...args: string[]): Promise<{ code: number; output: string; error: string }> {
  const result = { code: 0, output: '', error: '' };
  result.code = await runAdmin(['node', 'parlance-admin', ...args], {
    env: { PARLANCE_DATA: dataFolder },
    writeOut: (text) => void (result.output += text),
    writeError: (text) => void (result.error += text),
  });
  return result;
}

const json = async (...args: string[]) => JSON.parse((await admin(...args, '--json')).output);

describe('parlance-admin accounts', () => {
  it('makes an account with a key, lists it and shows it with its keys', async () => {
    const made = await json('accounts', 'create', '--email', 'Ada@Example.org', '--organization', 'Engines');
    expect(made).toMatchObject({ account_id: expect.stringMatching(/^acc_/), api_key: expect.stringMatching(/^pl_/), email: 'ada@example.org', plan: 'free' });
    expect((await json('accounts', 'list'))[0]).toMatchObject({ account_id: made.account_id, organization: 'Engines' });
    expect((await admin('accounts', 'list')).output).toContain('enabled  ada@example.org  Engines');
    expect((await admin('accounts', 'show', made.account_id)).output).toMatch(/first key/);
    expect(await json('accounts', 'show', made.account_id)).toMatchObject({ keys: [{ key_id: made.key_id, name: 'first key' }] });
    expect(JSON.stringify(await json('accounts', 'show', made.account_id))).not.toContain(made.api_key.slice(-30));
  });

  it('makes none for what is no e-mail address', async () => {
    const before = await json('accounts', 'list');
    for (const email of ['ada', '', 'ada@', 'a b@example.org']) expect(await admin('accounts', 'create', '--email', email)).toMatchObject({ code: 2, error: expect.stringContaining('It must be an e-mail address.') });
    expect(await json('accounts', 'list')).toEqual(before);
  });

  it('disables one with a reason, and enables it again', async () => {
    const { account_id: id } = await json('accounts', 'create');
    expect(await admin('accounts', 'disable', id, '--reason', 'did not pay')).toMatchObject({ code: 0, output: `disabled ${id}\n` });
    expect(await gateway.accounts.get(id)).toMatchObject({ disabledAt: expect.any(String), disabledReason: 'did not pay' });
    expect(await json('accounts', 'enable', id)).not.toHaveProperty('disabled_at');
    expect((await gateway.accounts.get(id))?.disabledAt).toBeUndefined();
  });

  it('puts one on another plan, one that there is', async () => {
    const { account_id: id } = await json('accounts', 'create', '--plan', 'unlimited');
    expect(await gateway.accounts.get(id)).toMatchObject({ plan: 'unlimited' });
    expect(await admin('accounts', 'plan', id, 'free')).toMatchObject({ code: 0, output: `plan changed to free: ${id}\n` });
    expect(await gateway.accounts.get(id)).toMatchObject({ plan: 'free' });
    expect(await admin('accounts', 'plan', id, 'golden')).toMatchObject({ code: 1, error: 'The plan golden does not exist.\n' });
    expect(await admin('accounts', 'create', '--plan', 'golden')).toMatchObject({ code: 1 });
  });

  it('says what is not there with exit code 3, and wrong usage with 2', async () => {
    for (const command of [['accounts', 'show'], ['accounts', 'disable'], ['keys', 'list'], ['keys', 'create'], ['keys', 'revoke'], ['keys', 'rotate'], ['keys', 'grant', '--scopes', 'audit']]) {
      expect(await admin(...command, 'acc_none')).toMatchObject({ code: 3, output: '', error: expect.stringContaining('acc_none') });
      expect(await admin(...command)).toMatchObject({ code: 2 });
      expect((await admin(...command, '--help')).code).toBe(0);
    }
  });
});

describe('parlance-admin keys', () => {
  it('makes keys of few scopes that end, rotates and revokes them', async () => {
    const { account_id: account, key_id: first } = await json('accounts', 'create');
    const made = await json('keys', 'create', account, '--name', 'reader', '--scopes', 'search,transcriptions:read', '--expires-at', '2999-01-01T00:00:00Z');
    expect(made).toMatchObject({ name: 'reader', scopes: ['transcriptions:read', 'search'], expires_at: '2999-01-01T00:00:00.000Z' });
    const rotated = await json('keys', 'rotate', made.key_id, '--overlap', '60');
    expect(rotated).toMatchObject({ name: 'reader', scopes: made.scopes, api_key: expect.stringMatching(/^pl_/) });
    expect(Date.parse((await gateway.keys.get(made.key_id))?.expiresAt ?? '')).toBeLessThanOrEqual(Date.now() + 60_000);
    await gateway.tokens.issue({ accountId: account, keyId: made.key_id }, { scopes: ['search'], expiresInSeconds: 60 });
    expect(await admin('keys', 'revoke', made.key_id)).toMatchObject({ code: 0, output: `revoked ${made.key_id}\n` });
    expect(await gateway.tokens.limitOf(account)).toMatchObject({ used: 0 });
    expect((await json('keys', 'list', account)).map(({ key_id }: { key_id: string }) => key_id)).toEqual([rotated.key_id, first]);
    expect(await admin('keys', 'revoke', first)).toMatchObject({ code: 1, error: expect.stringContaining('Create another one first') });
    expect(await admin('keys', 'revoke', first, '--allow-lockout')).toMatchObject({ code: 0 });
  });

  it('adds a scope to a key that is older than it, but none of the whole account to a key of a project', async () => {
    const { account_id: account } = await json('accounts', 'create');
    const old = await json('keys', 'create', account, '--scopes', 'search,keys');
    expect(await json('keys', 'grant', old.key_id, '--scopes', 'audit,search')).toMatchObject({ key_id: old.key_id, scopes: [...old.scopes, 'audit'] });
    const { key } = await gateway.keys.issue({ accountId: account, name: 'of a project', scopes: ['search'], projectId: 'prj_1' });
    expect(await admin('keys', 'grant', key.id, '--scopes', 'audit')).toMatchObject({ code: 1, error: expect.stringContaining('cannot have the scope audit') });
    expect((await gateway.keys.get(key.id))?.scopes).toEqual(['search']);
  });

  it('refuses scopes that there are not, and times that are over', async () => {
    const { account_id: account } = await json('accounts', 'create');
    expect(await admin('keys', 'create', account, '--scopes', 'everything')).toMatchObject({ code: 2 });
    expect(await admin('keys', 'create', account, '--expires-at', '2020-01-01T00:00:00Z')).toMatchObject({ code: 2 });
    expect(await admin('keys', 'create', account, '--name', ' ')).toMatchObject({ code: 2 });
  });
});
