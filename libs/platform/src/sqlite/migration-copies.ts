import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fromSqliteError } from './sqlite-errors.js';

const MAX_COPIES = 3;
/** A copy still contains what was erased since the migration, so that it is kept for a short time only. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Copies the file as it is before it is migrated, for a way back. @returns the copy's path @throws AppError storage_full */
export function copyBeforeMigration(database: DatabaseSync, path: string, version: number): string {
  const copy = `${prefixOf(path)}${version}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.copy`;
  // SQLite takes an empty file as the target, and leaves its mode.
  closeSync(openSync(copy, 'wx', 0o600));
  try {
    database.prepare('VACUUM INTO ?').run(copy);
  } catch (error) {
    rmSync(copy, { force: true });
    throw fromSqliteError(error);
  }
  return copy;
}

/** Removes copies that are too old or too many, now and as they get too old. */
export function boundMigrationCopies(path: string): void {
  const copies = copiesOf(path);
  const kept = copies.filter(({ madeAt }, index) => index < MAX_COPIES && Date.now() - madeAt < KEPT_MS);
  for (const copy of copies) if (!kept.includes(copy)) rmSync(copy.path, { force: true });
  const oldest = kept.at(-1);
  if (oldest) setTimeout(() => boundMigrationCopies(path), Math.max(1000, oldest.madeAt + KEPT_MS - Date.now())).unref();
}

export function removeMigrationCopies(path: string): void {
  for (const copy of copiesOf(path)) rmSync(copy.path, { force: true });
}

/** The newest first. */
function copiesOf(path: string): { path: string; madeAt: number }[] {
  const folder = dirname(path);
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(prefixOf(path))) && name.endsWith('.copy'));
  return names
    .map((name) => ({ path: join(folder, name), madeAt: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.madeAt - a.madeAt);
}

const prefixOf = (path: string): string => `${path}.schema-`;
