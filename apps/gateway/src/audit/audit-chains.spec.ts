import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDocumentDatabase } from '@parlance/storage';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { describeAuditChains } from '../../test/audit-chains-suite.js';

describeAuditChains('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-audit-'));
  const open = () => openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'gateway' });
  const replicas = [await open(), await open()] as const;
  return {
    replicas,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(replicas.map((database) => database.close()));
      await rm(folder, { recursive: true });
    },
  };
});
