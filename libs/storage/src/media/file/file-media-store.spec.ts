import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMediaStoreContract } from '../../contract/index.js';
import { FileMediaStore } from './file-media-store.js';

describeMediaStoreContract('FileMediaStore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-media-'));
  const uploads = join(folder, 'store', 'uploads');
  const connect = () => FileMediaStore.open(join(folder, 'store'));
  return {
    store: await connect(),
    connect,
    countUnfinished: async () => {
      if (!existsSync(uploads)) return 0;
      return (await readdir(uploads, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;
    },
    dispose: () => rm(folder, { recursive: true }),
  };
});
