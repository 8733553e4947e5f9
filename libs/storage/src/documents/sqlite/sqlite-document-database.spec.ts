import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { describeDocumentDatabaseContract } from '../../contract/index.js';
import { SqliteDocumentDatabase } from './sqlite-document-database.js';

describeDocumentDatabaseContract('SqliteDocumentDatabase', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-documents-'));
  const stamps = { clock: systemClock, ids: ulidGenerator(), source: 'contract' };
  const connect = () => SqliteDocumentDatabase.open(join(folder, 'documents.db'), stamps);
  return { database: await connect(), connect, dispose: () => rm(folder, { recursive: true }) };
});
