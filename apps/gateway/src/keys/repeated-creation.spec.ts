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
    const create = (takesOver: boolean) => keys.issueFor(caller, { attempt: { id, takesOver }, accountId: 'acc_1', name: 'ci', scopes: ['webhooks'] });
    const [lost, seen] = [await create(false), await create(true)];
    expect((await keys.list('acc_1', { limit: 10 })).items.map(({ document }) => document.id).toSorted()).toEqual([owner.id, id].toSorted());
    expect((await keys.get(id))?.hash).toBe(hashOfKey(seen.apiKey));
    expect(seen.apiKey).not.toBe(lost.apiKey);
  });

  it('leaves the key of the attempt that took over, whatever the one that stalled does afterwards', async () => {
    const keys = new ApiKeys(documents, systemClock, ids, randomBytes);
    const { key: owner } = await keys.issue({ accountId: 'acc_2', name: 'owner', scopes: SCOPES });
    const caller = { keyId: owner.id, scopes: new Set(SCOPES) };
    const create = (id: string, takesOver: boolean, isWanted?: () => Promise<void>) => keys.issueFor(caller, { attempt: { id, takesOver }, accountId: 'acc_2', name: 'ci', scopes: ['webhooks'] }, isWanted);
    for (const fails of [false, true]) {
      const id = ids.next('key');
      const stored = Promise.withResolvers<void>();
      const goesOn = Promise.withResolvers<void>();
      const stalled = create(id, false, async () => {
        stored.resolve();
        await goesOn.promise;
        if (fails) throw new Error('not wanted');
      });
      await stored.promise;
      const heir = await create(id, true);
      goesOn.resolve();
      await expect(stalled).rejects.toMatchObject(fails ? { message: 'not wanted' } : { code: 'idempotency_in_flight', retryable: true });
      // One that had not stored anything when the other took over.
      await expect(create(id, false)).rejects.toMatchObject({ code: 'idempotency_in_flight' });
      expect(await keys.get(id)).toEqual(heir.key);
      expect(heir.key.hash).toBe(hashOfKey(heir.apiKey));
    }
  });

  it('leaves one token', async () => {
    const tokens = new AccessTokens(documents, systemClock, ids, randomBytes);
    const id = ids.next('tok');
    const create = (takesOver: boolean) => tokens.issue({ accountId: 'acc_1', keyId: 'key_1' }, { attempt: { id, takesOver }, scopes: ['transcriptions:read'], expiresInSeconds: 60 });
    const [, seen] = [await create(false), await create(true)];
    await expect(create(false)).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    expect((await tokens.list({ accountId: 'acc_1' }, { limit: 10 })).items.map(({ document }) => [document.id, document.hash])).toEqual([[id, hashOfKey(seen.secret)]]);
  });
});
