import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile as readText } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { readConfig } from '@parlance/platform';
import { processConfig } from '@parlance/runtime/process-config';
import { Command } from 'commander';
import type { BackupManifest } from '../backup/backup-format.js';
import type { BackupKeys } from '../backup/backup-keys.js';
import type { BackupContents } from '../backup/verify-backup.js';
import { adminConfig } from './admin-config.js';
import { AdminFailure, EXIT_FAILED, EXIT_USAGE } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption } from './options.js';

interface BackupOptions {
  keyFile?: string;
  json?: true;
}

type RestoreOptions = BackupOptions & { erasures?: string[]; withoutErasures?: true; wrappedKeys?: string };

const { PARLANCE_DATA, EVENT_BUS_URL, DATABASE_URL, MEDIA_URL, SEARCH_URL, MODELS_FOLDER } = processConfig;
const SOURCES = { PARLANCE_DATA, EVENT_BUS_URL, DATABASE_URL, MEDIA_URL, SEARCH_URL, MODELS_FOLDER };
const { BACKUP_KEY } = adminConfig;

/** Backups of the embedded shape: its databases and media as they were at one moment. */
export function backupCommand(tools: AdminTools): Command {
  return new Command('backup')
    .description('back up, verify and restore PARLANCE_DATA; for an installation on servers see docs/backup.md')
    .addCommand(createCommand(tools))
    .addCommand(verifyCommand(tools))
    .addCommand(restoreCommand(tools));
}

const withKeys = (command: Command): Command =>
  command.option('--key-file <file>', 'age keys, to encrypt (age1… suffices) or to decrypt (AGE-SECRET-KEY-1…); default BACKUP_KEY').addOption(jsonOption());

const createCommand = ({ env, print, say }: AdminTools): Command =>
  withKeys(new Command('create').description('write a backup of one moment, while the product runs or is stopped').argument('<file>', 'or a folder, in which a file named after the moment is created')).action(
    async (path: string, options: BackupOptions) => {
      const [{ backupSources }, { createBackup }, { productVersion }, { copyWrappedKeys, requireOwnCopy }] = await Promise.all([
        import('../backup/backup-sources.js'),
        import('../backup/create-backup.js'),
        import('../backup/product-version.js'),
        import('../backup/wrapped-keys.js'),
      ]);
      const config = readConfig(SOURCES, { env, readFile });
      const sources = backupSources(config);
      const keys = await keysOf(env, options);
      if (!keys) say('Warning: no key is given (BACKUP_KEY, --key-file), so the backup is not encrypted.');
      const target = targetOf(path, keys !== undefined);
      requireOwnCopy(config, target);
      const manifest = await clearPaths(target, createBackup({ sources, target, keys, productVersion: productVersion() }));
      print(options.json ? json({ file: target, ...summary(manifest) }) : `${target}: ${manifest.parts.length} files, ${megabytes(bytesOf(manifest))}, of ${manifest.moment}; writers were held for ${manifest.writers_held_ms.toFixed(1)} ms`);
      const copy = await clearPaths(target, copyWrappedKeys(config, target));
      if (copy !== undefined) say(`${copy}: the wrapped keys, in place of those of the backup before; keep this file with the backups, and only its newest version. The master key (KEY_PROVIDER; by default master-keys in PARLANCE_DATA) is not in the backup: without a copy of it, no backup can be read.`);
      for (const name of manifest.models) say(`The model ${name} is not in the backup; "models get" downloads it again.`);
    },
  );

const verifyCommand = ({ env, print }: AdminTools): Command =>
  withKeys(new Command('verify').description('verify that a backup is complete, and show its contents').argument('<file>')).action(async (path: string, options: BackupOptions) => {
    const { verifyBackup } = await import('../backup/verify-backup.js');
    const contents = await clearPaths(path, verifyBackup(path, await keysOf(env, options)));
    print(options.json ? json(contentsJson(contents)) : contentsText(contents));
  });

const restoreCommand = ({ env, print, say }: AdminTools): Command =>
  withKeys(new Command('restore').description('restore a backup into the empty folder PARLANCE_DATA, from which the product then starts').argument('<file>'))
    .option('--erasures <paths...>', 'erasure logs, or data folders, that list what was erased since the backup; it is erased again before the product can start')
    .option('--wrapped-keys <file>', 'the newest copy of the wrapped keys; default: parlance-keys.db beside the backup, where it is there')
    .option('--without-erasures', 'restore without a list of what was erased since the backup')
    .action(async (path: string, options: RestoreOptions) => {
      if ((options.erasures === undefined) === (options.withoutErasures === undefined)) {
        throw new AdminFailure('Give --erasures with what was erased since the backup, or --without-erasures; otherwise erased data would come back unnoticed.', EXIT_USAGE);
      }
      const [{ restoreBackup }, { erasedIn }, { keysBeside }] = await Promise.all([import('../backup/restore-backup.js'), import('../backup/erased-in.js'), import('../backup/wrapped-keys.js')]);
      const { PARLANCE_DATA: folder } = readConfig({ PARLANCE_DATA }, { env, readFile });
      const erased = (await Promise.all((options.erasures ?? []).map((each) => erasedIn(each)))).flat();
      const replay = async (to: string) => {
        const { replayErasures } = await import('../backup/replay-erasures.js');
        return replayErasures({ ...env, ...embeddedIn(to) }, erased);
      };
      const wrappedKeys = options.wrappedKeys ?? (existsSync(keysBeside(path)) ? keysBeside(path) : undefined);
      const { manifest, erasedAgain } = await clearPaths(path, restoreBackup({ path, keys: await keysOf(env, options), folder, wrappedKeys, erased, replay }));
      print(options.json ? json({ folder: resolve(folder), erased_again: erasedAgain, ...summary(manifest) }) : `${resolve(folder)}: restored as of ${manifest.moment}; ${erasedAgain} jobs were erased again`);
      if (wrappedKeys !== undefined) say('Put the master key in place before the start: the file master-keys in PARLANCE_DATA, or KEY_PROVIDER.');
      say('The file secrets-key of PARLANCE_DATA, or SECRETS_KEY, is not in a backup either: with another one, stored headers of callbacks and audio_headers cannot be read.');
      say('API keys that were revoked after that moment are valid again: see "keys list" and "keys revoke".');
      for (const name of manifest.models) say(`The model ${name} was in MODELS_FOLDER; "models get" downloads it again.`);
    });

/** A backup is of the embedded shape, wherever the settings of this process point. */
const embeddedIn = (folder: string) => ({ PARLANCE_DATA: folder, EVENT_BUS_URL: undefined, DATABASE_URL: undefined, MEDIA_URL: undefined, SEARCH_URL: undefined });

const readFile = (path: string): string => readFileSync(path, 'utf8');

async function keysOf(env: AdminTools['env'], { keyFile }: BackupOptions): Promise<BackupKeys | undefined> {
  const text = keyFile === undefined ? readConfig({ BACKUP_KEY }, { env, readFile }).BACKUP_KEY : await clearPaths(keyFile, readText(keyFile, 'utf8'));
  if (text === undefined) return undefined;
  const { parseBackupKeys } = await import('../backup/backup-keys.js');
  return parseBackupKeys(text, keyFile ?? 'BACKUP_KEY');
}

/** Says in one line what is wrong with a path. @param path named when the error has none, as that of a full disk */
async function clearPaths<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, errno, path: at = path } = error as NodeJS.ErrnoException;
    if (code === undefined || errno === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new AdminFailure(`${at}: ${getSystemErrorMessage(errno)}`, EXIT_FAILED);
  }
}

function targetOf(path: string, isEncrypted: boolean): string {
  if (path === '' || !statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) throw new AdminFailure(`${path || 'The path'}: the folder does not exist.`, EXIT_USAGE);
  const target = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, fileName(isEncrypted)) : path;
  if (statSync(target, { throwIfNoEntry: false })) throw new AdminFailure(`${target} already exists.`, EXIT_USAGE);
  if (!/\.(?:tar|age)$/.test(target)) throw new AdminFailure(`${target}: the folder does not exist. Create it first, or name a file that ends with .tar or .age.`, EXIT_USAGE);
  return target;
}

const fileName = (isEncrypted: boolean): string => `parlance-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.tar${isEncrypted ? '.age' : ''}`;

const bytesOf = ({ parts }: BackupManifest): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

const summary = (manifest: BackupManifest) => ({
  moment: manifest.moment,
  product_version: manifest.product_version,
  parts: manifest.parts.length,
  bytes: bytesOf(manifest),
  writers_held_ms: manifest.writers_held_ms,
});

const contentsJson = ({ manifest, isEncrypted, accounts, jobs, databases, mediaObjects }: BackupContents) => ({
  ...summary(manifest),
  encrypted: isEncrypted,
  accounts,
  jobs,
  databases,
  media_objects: mediaObjects,
  schema_versions: manifest.schema_versions,
  models: manifest.models,
});

function contentsText({ manifest, isEncrypted, accounts, jobs, databases, mediaObjects, bytes }: BackupContents): string {
  const byStatus = Object.entries(jobs).map(([status, count]) => `${count} ${status}`).join(', ');
  return [
    `complete, ${isEncrypted ? 'encrypted' : 'not encrypted'}, of ${manifest.moment}, by Parlance ${manifest.product_version}`,
    `${databases} databases, ${mediaObjects} media objects, ${megabytes(bytes)}`,
    `${accounts} accounts; jobs: ${byStatus || 'none'}`,
  ].join('\n');
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
