import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { mediaKeys } from '@parlance/contracts';
import { accountTools, type AccountTools } from '@parlance/gateway/operators';
import { Plans, plansConfig } from '@parlance/gateway/plans';
import { readConfig, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type MediaStore } from '@parlance/storage';
import { replayErasures } from './replay-erasures.js';

const ids = ulidGenerator();

async function withAccounts<T>(dataFolder: string, work: (tools: AccountTools) => Promise<T>): Promise<T> {
  const documents = await openDocumentDatabase(`sqlite:${join(dataFolder, 'documents', 'gateway.db')}`, { clock: systemClock, ids, log: silentLogger(), source: 'gateway' });
  try {
    return await work(accountTools(documents, Plans.from(readConfig(plansConfig, { env: {}, readFile: () => '' }), silentLogger()), systemClock, ids));
  } finally {
    await documents.close();
  }
}

async function keysIn(media: MediaStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of media.list('')) keys.push(key);
  return keys;
}

it('an account that is erased again after a restore takes its archive with it, and no media of another account', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'parlance-replay-'));
  try {
    await mkdir(join(dataFolder, 'documents'));
    const [erased, other] = await withAccounts(dataFolder, async ({ accounts }) => [(await accounts.create({})).account.id, (await accounts.create({})).account.id] as const);
    const media = await openMediaStore(`file:${join(dataFolder, 'media')}`);
    const archiveOf = (accountId: string) => mediaKeys(accountId, 'exp_1').archive;
    for (const accountId of [erased, other]) await media.put(archiveOf(accountId), new Blob(['everything']).stream());
    const lines = [{ accountErasureId: 'era_1', accountId: erased, erasedAt: systemClock.now().toISOString() }];
    expect(await replayErasures({ PARLANCE_DATA: dataFolder }, lines)).toBe(1);
    expect(await keysIn(media)).toEqual([archiveOf(other)]);
    expect(await withAccounts(dataFolder, async ({ accounts }) => [await accounts.get(erased), (await accounts.get(other))?.id])).toEqual([undefined, other]);
    expect(await replayErasures({ PARLANCE_DATA: dataFolder }, lines)).toBe(0);
  } finally {
    await rm(dataFolder, { recursive: true });
  }
});
