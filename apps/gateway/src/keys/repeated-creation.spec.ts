import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { AccessTokens } from './access-tokens.js';
import { hashOfKey } from './api-key-format.js';
import { ApiKeys } from './api-keys.js';
import { SCOPES } from './scope.js';

const ids = ulidGenerator();

describe('a creation that is performed again because its first outcome is unknown', () => {
  let folder: string;
  let documents: DocumentDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-keys-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock: systemClock, ids, log: silentLogger(), source: 'gateway' });
  });
  afterAll(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  it('leaves one key, whose secret is that of the last answer, also where there is room for no second one', async () => {
    const keys = new ApiKeys(documents, systemClock, ids, randomBytes, { perAccount: 2, reserved: 0, created: 2, rotations: 2 });
    const { key: owner } = await keys.issue({ accountId: 'acc_1', name: 'owner', scopes: SCOPES });
    const caller = { keyId: owner.id, scopes: new Set(SCOPES) };
    const id = ids.next('key');
    const create = () => keys.issueFor(caller, { id, accountId: 'acc_1', name: 'ci', scopes: ['webhooks'] });
    const [lost, seen] = [await create(), await create()];
    expect((await keys.list('acc_1', { limit: 10 })).items.map(({ document }) => document.id).toSorted()).toEqual([owner.id, id].toSorted());
    expect((await keys.get(id))?.hash).toBe(hashOfKey(seen.apiKey));
    expect(seen.apiKey).not.toBe(lost.apiKey);
  });

  it('leaves one token', async () => {
    const tokens = new AccessTokens(documents, systemClock, ids, randomBytes);
    const id = ids.next('tok');
    const create = () => tokens.issue({ accountId: 'acc_1', keyId: 'key_1' }, { id, scopes: ['transcriptions:read'], expiresInSeconds: 60 });
    const [, seen] = [await create(), await create()];
    expect((await tokens.list({ accountId: 'acc_1' }, { limit: 10 })).items.map(({ document }) => [document.id, document.hash])).toEqual([[id, hashOfKey(seen.secret)]]);
  });
});
