import { setTimeout as pause } from 'node:timers/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors/app-error.js';
import { isBusy } from './sqlite-errors.js';

/** One database as it was at the common moment, until it is closed. While it is open, the write-ahead log cannot be emptied. */
export interface DatabaseSnapshot {
  path: string;
  /** Writes the database as it was at the moment into a new file. */
  copyTo(target: string): Promise<void>;
  close(): void;
}

interface SnapshotSet {
  snapshots: DatabaseSnapshot[];
  /** When all writers were held. */
  moment: Date;
  /** Milliseconds from the first write lock to the release of the last. */
  heldMs: number;
}

interface SnapshotOptions {
  /** Milliseconds that writers may be held while the remaining locks are awaited; then all are released and tried again. Default 250. */
  maxHoldMs?: number;
  /** Default 40, with a pause between. */
  attempts?: number;
  now?: () => Date;
}

const PAUSE_MS = 50;
/** Pages that are copied in one step, on a thread of libuv. */
const PAGES_A_STEP = 2000;

/**
 * Takes a read snapshot of each database at one common moment, also while other processes write to them: it holds the write
 * lock of every file (`BEGIN IMMEDIATE`), begins a read transaction on each by a second connection, and releases the locks.
 * Readers and the snapshots do not disturb each other: https://www.sqlite.org/isolation.html
 * @throws AppError storage_busy when the locks were never free together.
 */
export async function snapshotTogether(paths: readonly string[], { maxHoldMs = 250, attempts = 40, now = () => new Date() }: SnapshotOptions = {}): Promise<SnapshotSet> {
  const files = openAll(paths, maxHoldMs);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const taken = tryTogether(files, maxHoldMs, now);
      if (taken) return { snapshots: files.map(({ path, reader }) => snapshot(path, reader)), ...taken };
      if (attempt === attempts) throw neverFree();
      await pause(PAUSE_MS);
    }
  } catch (error) {
    for (const { reader } of files) reader.close();
    throw error;
  } finally {
    for (const { writer } of files) writer.close();
  }
}

interface OpenFile {
  path: string;
  /** Holds the write lock. */
  writer: DatabaseSync;
  /** Keeps the snapshot. */
  reader: DatabaseSync;
}

function openAll(paths: readonly string[], timeout: number): OpenFile[] {
  const files: OpenFile[] = [];
  try {
    for (const path of paths) files.push(openBoth(path, timeout));
    return files;
  } catch (error) {
    for (const { writer, reader } of files) [writer, reader].forEach((connection) => connection.close());
    throw error;
  }
}

function openBoth(path: string, timeout: number): OpenFile {
  const writer = new DatabaseSync(path, { timeout });
  try {
    return { path, writer, reader: new DatabaseSync(path, { timeout }) };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** @returns undefined when a lock was not free in time */
function tryTogether(files: readonly OpenFile[], maxHoldMs: number, now: () => Date): Pick<SnapshotSet, 'moment' | 'heldMs'> | undefined {
  let heldSince: number | undefined;
  const held = () => (heldSince === undefined ? 0 : performance.now() - heldSince);
  try {
    for (const { writer } of files) {
      const remainingMs = Math.floor(maxHoldMs - held());
      if (remainingMs < 0) return undefined;
      writer.exec(`PRAGMA busy_timeout = ${remainingMs}`);
      writer.exec('BEGIN IMMEDIATE');
      heldSince ??= performance.now();
    }
    const moment = now();
    for (const { reader } of files) {
      reader.exec('BEGIN');
      // A transaction has its snapshot from its first read.
      reader.prepare('SELECT count(*) FROM sqlite_schema').get();
    }
    release(files.map(({ writer }) => writer));
    return { moment, heldMs: held() };
  } catch (error) {
    release(files.map(({ reader }) => reader));
    if (isBusy(error)) return undefined;
    throw error;
  } finally {
    release(files.map(({ writer }) => writer));
  }
}

function release(connections: readonly DatabaseSync[]): void {
  for (const connection of connections) if (connection.isTransaction) connection.exec('ROLLBACK');
}

const snapshot = (path: string, reader: DatabaseSync): DatabaseSnapshot => ({
  path,
  // The copy reads within the open transaction, so that later commits are not in it.
  copyTo: async (target) => void (await backup(reader, target, { rate: PAGES_A_STEP })),
  close: () => reader.isOpen && reader.close(),
});

const neverFree = () =>
  new AppError({ kind: 'unavailable', code: 'storage_busy', message: 'The databases were never available for writing at the same time.' });
