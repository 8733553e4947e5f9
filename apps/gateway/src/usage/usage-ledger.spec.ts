import { describeUsageLedger } from '../../test/usage-ledger-suite.js';
import { StorageFolder } from '../../test/storage-folder.js';

describeUsageLedger(
  'SQLite',
  async () => {
    const folder = await StorageFolder.open();
    return { replicas: [folder.documents, folder.documents], [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  },
  15,
);
