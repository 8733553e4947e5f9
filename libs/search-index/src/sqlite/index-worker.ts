// A worker thread with the search index in one SQLite file. On the main thread it would block the event loop.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { fromSqliteError, openSqliteDatabase } from '@parlance/platform/sqlite';
import { AccountVectors } from './account-vectors.js';
import { asSent, type Answer, type IndexThread, type IndexThreadData, type Request } from './index-messages.js';
import { PassageSearch } from './passage-search.js';
import { PassageWriter } from './passage-writer.js';
import { MIGRATIONS } from './schema.js';

/** SQLite's cache for searches, in KiB: the words of 100k passages fit. */
const CACHE_KIB = 65_536;

const { path, dimensions, durability } = workerData as IndexThreadData;
const port = parentPort as MessagePort;

function openIndex(): IndexThread {
  const written = openSqliteDatabase(path, MIGRATIONS, { commits: durability });
  const read = new DatabaseSync(path, { readOnly: true });
  read.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  const vectors = new AccountVectors(read, dimensions);
  const search = new PassageSearch(read, vectors);
  const writer = new PassageWriter(written, vectors);
  return {
    put: (job) => writer.put(job),
    updateSpeakers: (job, speakers) => writer.updateSpeakers(job, speakers),
    deleteJob: (accountId, jobId) => writer.deleteJob(accountId, jobId),
    deleteAccount: (accountId) => writer.deleteAccount(accountId),
    search: async (query) => search.search(query),
    check: async () => void read.prepare('SELECT count(*) FROM deleted_accounts').get(),
    close: async () => {
      await writer.close();
      read.close();
      written.close();
      port.close();
    },
  };
}

const index = openIndex();

async function answer({ id, call, values }: Request): Promise<Answer> {
  try {
    return { id, result: await (index[call] as (...all: readonly unknown[]) => Promise<unknown>)(...values) };
  } catch (thrown) {
    return { id, error: asSent(fromSqliteError(thrown)) };
  }
}

port.on('message', (request: Request) => void answer(request).then((answered) => port.postMessage(answered)));
