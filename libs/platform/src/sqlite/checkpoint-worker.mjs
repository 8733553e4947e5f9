// A worker thread: brings what lies in the write-ahead log of a SQLite file into the file, which waits for the disk.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

parentPort.on('message', (path) => {
  try {
    checkpoint(path);
  } catch {
    // A full disk, or the file is gone: asked again after another commit, and the writer checkpoints itself in the end.
  }
  parentPort.postMessage(path);
});

function checkpoint(path) {
  const url = pathToFileURL(path);
  // Makes no file that is not there.
  url.searchParams.set('mode', 'rw');
  const database = new DatabaseSync(url);
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } finally {
    database.close();
  }
}
