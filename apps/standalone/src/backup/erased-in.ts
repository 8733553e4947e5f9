import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readErasureLines, type Erased } from '@parlance/ingest/operators';
import { notFound } from '@parlance/platform';
import { DocumentsFile } from '@parlance/storage';

/** The erasures that an erasure log, or a data folder, knows. @throws AppError not_found, invalid_erasure_log */
export async function erasedIn(path: string): Promise<Erased[]> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw notFound(`The erasure log ${path}`);
  return found.isDirectory() ? erasedInFolder(path) : readErasureLines(path);
}

/** Reads only: the folder is evidence, and may be another version's. A receipt without an erased job is not an erasure. */
function erasedInFolder(folder: string): Erased[] {
  const path = join(folder, 'documents', 'ingest.db');
  if (!existsSync(path)) throw notFound(`The database ${path}`);
  const documents = new DocumentsFile(path);
  try {
    const erased = new Set(documents.idsWith('jobs', 'deletedAt'));
    const receipts = documents.textsOf('erasures', ['jobId', 'accountId', 'createdAt']);
    const jobs = [...receipts].filter(({ jobId }) => erased.has(jobId)).map(({ jobId, accountId, createdAt }) => ({ jobId, accountId, erasedAt: createdAt }));
    const accounts = [...documents.textsOf('account_erasures', ['id', 'accountId', 'completedAt'])].filter(({ completedAt }) => completedAt !== '');
    return [...jobs, ...accounts.map(({ id, accountId, completedAt }) => ({ accountErasureId: id, accountId, erasedAt: completedAt }))];
  } finally {
    documents.close();
  }
}
