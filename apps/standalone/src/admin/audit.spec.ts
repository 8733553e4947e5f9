import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { runAdmin } from './run-admin.js';

const opened = new AsyncDisposableStack();
let dataFolder: string;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'parlance-admin-audit-'));
  opened.defer(() => rm(dataFolder, { recursive: true }));
  await mkdir(join(dataFolder, 'documents'));
  const documents = await openDocumentDatabase(`sqlite:${file()}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'gateway' });
  await documents.close();
});
afterAll(() => opened.disposeAsync());

const file = () => join(dataFolder, 'documents', 'gateway.db');

/** In this process; what it printed, and its exit code. */
async function admin(...args: string[]): Promise<{ code: number; output: string; error: string }> {
  const result = { code: 0, output: '', error: '' };
  result.code = await runAdmin(['node', 'parlance-admin', ...args], {
    env: { PARLANCE_DATA: dataFolder, KEY_PROVIDER: 'none' },
    writeOut: (text) => void (result.output += text),
    writeError: (text) => void (result.error += text),
  });
  return result;
}

function tamper(sql: string): void {
  using database = new DatabaseSync(file());
  database.exec(sql);
}

describe('parlance-admin audit', () => {
  let account: string;
  beforeAll(async () => {
    const { account_id: id, key_id: key } = JSON.parse((await admin('accounts', 'create', '--json')).output) as { account_id: string; key_id: string };
    account = id;
    await admin('accounts', 'disable', account, '--reason', 'unpaid');
    await admin('keys', 'rotate', key);
  });

  const exported = async () => (await admin('audit', 'export', '--account', account)).output.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  const head = async () => (JSON.parse((await admin('audit', 'verify', '--json')).output) as { accounts: { head: { sequence: number; hash: string } }[] }).accounts[0]?.head;

  it('exports what operators did, before and after each change, without their reasons', async () => {
    const records = await exported();
    expect(records.map(({ sequence, action, event, actor_type: actor }) => [sequence, action, event, actor])).toEqual([
      [1, 'createAccount', 'answered', 'operator'],
      [2, 'disableAccount', 'requested', 'operator'],
      [3, 'disableAccount', 'answered', 'operator'],
      [4, 'rotateKey', 'requested', 'operator'],
      [5, 'rotateKey', 'answered', 'operator'],
    ]);
    expect(records[4]?.['resources']).toEqual([expect.stringMatching(/^key_/), expect.stringMatching(/^key_/)]);
    expect(JSON.stringify(records)).not.toContain('unpaid');
  });

  it('verifies a whole chain, and prints its head', async () => {
    const { code, output } = await admin('audit', 'verify');
    const [last] = (await exported()).slice(-1);
    expect([code, output]).toEqual([0, expect.stringContaining(`5:${String(last?.['hash'])}`)]);
    const { sequence, hash } = (await head()) ?? {};
    expect((await admin('audit', 'verify', '--account', account, '--head', `${sequence}:${hash}`)).code).toBe(0);
    expect((await admin('audit', 'verify', '--head', `${sequence}:${hash}`)).code).toBe(2);
  });

  it('fails at the first record that is not as it was written, and at a removed head', async () => {
    const { sequence, hash } = (await head()) ?? {};
    tamper("CREATE TABLE kept AS SELECT * FROM documents_audit_records WHERE id LIKE '%5'; DELETE FROM documents_audit_records WHERE id LIKE '%5'");
    expect((await admin('audit', 'verify')).code).toBe(0);
    expect(await admin('audit', 'verify', '--account', account, '--head', `${sequence}:${hash}`)).toMatchObject({ code: 1, output: expect.stringContaining('record 5: removed') });
    tamper("INSERT INTO documents_audit_records SELECT * FROM kept; UPDATE documents_audit_records SET document = replace(document, 'disableAccount', 'enableAccount') WHERE id LIKE '%3'");
    expect(await admin('audit', 'verify')).toMatchObject({ code: 1, output: expect.stringContaining(`${account} record 3: changed`), error: expect.stringContaining('1 account') });
  });
});
