import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { MongoPlayground } from '../../../../libs/storage/test/mongo-playground.js';
import { describeAuditChains } from '../../test/audit-chains-suite.js';

describeAuditChains('MongoDB', async () => {
  const playground = new MongoPlayground();
  const open = () => openDocumentDatabase(`${playground.url}&createIndexes=true`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'gateway' });
  const replicas = [await open(), await open()] as const;
  return {
    replicas,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(replicas.map((database) => database.close()));
      await playground.look((database) => database.dropDatabase(), 'gateway');
    },
  };
});
