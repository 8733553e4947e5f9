import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMediaStoreContract } from '../../contract/index.js';
import { FileMediaStore } from './file-media-store.js';

/** Folder by folder: readdir's own recursion ends with an error when one goes meanwhile. */
async function countFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const counts = await Promise.all(entries.map((entry) => (entry.isDirectory() ? countFiles(join(folder, entry.name)) : 1)));
  return counts.reduce((sum, count) => sum + count, 0);
}

describeMediaStoreContract('FileMediaStore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-media-'));
  const unfinished = ['uploads', 'partials'].map((name) => join(folder, 'store', name));
  const connect = () => FileMediaStore.open(join(folder, 'store'));
  return {
    store: await connect(),
    connect,
    countUnfinished: async () => (await Promise.all(unfinished.map(countFiles))).reduce((sum, count) => sum + count, 0),
    dispose: () => rm(folder, { recursive: true }),
  };
});
