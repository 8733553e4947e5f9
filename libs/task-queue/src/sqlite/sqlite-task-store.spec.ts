import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@parlance/platform';
import { describeBoundedLooks } from '../contract/looking.js';
import { SqliteTaskStore } from './sqlite-task-store.js';

describeBoundedLooks('in a SQLite file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-tasks-'));
  const store = SqliteTaskStore.open(join(folder, 'tasks.db'), { clock: systemClock, log: silentLogger(), leaseMs: 10_000 });
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, close };
});
