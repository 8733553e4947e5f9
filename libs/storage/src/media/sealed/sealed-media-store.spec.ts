import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryDataKeys } from '../../../test/memory-data-keys.js';
import { describeMediaStoreContract } from '../../contract/index.js';
import { FileMediaStore } from '../file/file-media-store.js';
import { SealedMediaStore } from './sealed-media-store.js';

async function countFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const counts = await Promise.all(entries.map((entry) => (entry.isDirectory() ? countFiles(join(folder, entry.name)) : 1)));
  return counts.reduce((sum, count) => sum + count, 0);
}

describeMediaStoreContract('SealedMediaStore on FileMediaStore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-sealed-'));
  const keys = new MemoryDataKeys();
  const connect = async () => new SealedMediaStore(await FileMediaStore.open(join(folder, 'store')), keys);
  const unfinished = ['uploads', 'partials'].map((name) => join(folder, 'store', name));
  return {
    store: await connect(),
    connect,
    countUnfinished: async () => (await Promise.all(unfinished.map(countFiles))).reduce((sum, count) => sum + count, 0),
    dispose: () => rm(folder, { recursive: true }),
  };
});
