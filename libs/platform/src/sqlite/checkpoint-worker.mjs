// A worker thread: brings what lies in the write-ahead log of a SQLite file into the file, which waits for the disk.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

/** Milliseconds that emptying a log waits for readers and writers, who wait for it meanwhile. */
const BUSY_TIMEOUT_MS = 20;

parentPort.on('message', ({ id, path, empty }) => {
  let done = false;
  try {
    done = checkpoint(path, empty);
  } catch {
    // A full disk, or the file is gone: requested again after another commit, and the writer checkpoints itself in the end.
  }
  parentPort.postMessage({ id, done });
});

/** @returns true when the checkpoint did what was requested */
function checkpoint(path, empty) {
  const url = pathToFileURL(path);
  // Makes no file that is not there.
  url.searchParams.set('mode', 'rw');
  const database = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS });
  try {
    // PASSIVE blocks no writer. What remains for the checkpoint that empties the log, for which writers wait, was written in the
    // meantime.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    if (!empty) return true;
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy === 0;
  } finally {
    database.close();
  }
}
