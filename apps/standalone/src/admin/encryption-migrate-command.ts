import { readFileSync } from 'node:fs';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
import { openOwnKeys } from '@parlance/runtime/open-keys';
import { portUrls } from '@parlance/runtime/open-ports';
import { keyProviderSetting, processConfig } from '@parlance/runtime/process-config';
import { Command } from 'commander';
import { keyProviderOf } from '../master-keys.js';
import { AdminFailure, EXIT_USAGE } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import type { MigratedDocuments, MigratedMedia } from './encryption-migration.js';
import { jsonOption } from './options.js';
import { isOnDisk, servicesStoppedOption, whileStopped } from './stopped-services.js';

interface MigrateOptions {
  dryRun?: boolean;
  servicesStopped?: true;
  json?: true;
}

const { PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, MEDIA_URL, KEY_PROVIDER, MEDIA_ENCRYPTION } = processConfig;
const SETTINGS = { PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, MEDIA_URL, KEY_PROVIDER, MEDIA_ENCRYPTION };

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5000;
const MIB = 1024 * 1024;

/** Seals data that was stored before encryption was switched on. */
export function encryptionMigrateCommand(tools: AdminTools): Command {
  return new Command('migrate')
    .description('encrypt documents and media that were stored before encryption was switched on, while the services are stopped; run it again when it was interrupted')
    .option('--dry-run', 'encrypt nothing, and count what would be; keys that are missing are made')
    .addOption(servicesStoppedOption())
    .addOption(jsonOption())
    .action((options: MigrateOptions) => migrate(tools, options));
}

async function migrate({ env, print, say }: AdminTools, { dryRun = false, servicesStopped, json: asJson }: MigrateOptions): Promise<void> {
  const config = readConfig(SETTINGS, { env, readFile: (path) => readFileSync(path, 'utf8') });
  const setting = keyProviderSetting({ ...config, ...keyProviderOf(env, config.PARLANCE_DATA) });
  if (config.KEY_PROVIDER === undefined && !isOnDisk(portUrls(config))) throw new AdminFailure('KEY_PROVIDER is not set: it must be that of the services.', EXIT_USAGE);
  if (setting === undefined) throw new AdminFailure('KEY_PROVIDER is none: there are no keys to encrypt with.', EXIT_USAGE);
  await using closing = new AsyncDisposableStack();
  const { urls, end } = whileStopped(portUrls(config), config.PARLANCE_DATA, servicesStopped === true);
  closing.defer(end);
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: createLogger({ level: 'error', destination: process.stderr }) };
  // As at the first start of npm start, which makes its key file.
  const { keys, close } = await openOwnKeys(urls, setting, dependencies, { create: config.KEY_PROVIDER === undefined });
  closing.defer(close);
  // The services, for what they declare: only this command waits for them to load.
  const { EncryptionMigration } = await import('./encryption-migration.js');
  const migration = new EncryptionMigration({ env, urls, keys, dryRun });
  const documents: MigratedDocuments[] = [];
  const onDone = (result: MigratedDocuments) => {
    documents.push(result);
    if (!asJson && result.sealed + result.skipped > 0) print(`${result.service} ${result.collection}: ${countsText(result, dryRun)}`);
  };
  await migration.documents(onDone, (path) => say(`Rewriting ${path}, so that no clear text is left in its free pages`));
  const media = config.MEDIA_ENCRYPTION !== 'off' ? await migration.media(everySeconds(say)) : undefined;
  if (asJson) return print(json({ dry_run: dryRun, documents, media: media ?? null }));
  print(media ? `media: ${countsText(media, dryRun)}, ${(media.bytes / MIB).toFixed(1)} MB` : 'media: left in clear, since MEDIA_ENCRYPTION is off');
  if (!dryRun) say('Backups and copies from before are in clear as they were: make new ones (backup create), and remove the old ones.');
}

const countsText = ({ sealed, skipped }: Pick<MigratedMedia, 'sealed' | 'skipped'>, dryRun: boolean): string =>
  `${sealed} ${dryRun ? 'to be encrypted' : 'encrypted'}${skipped > 0 ? `, ${skipped} left in clear: they name no account, or their key was destroyed by an erasure` : ''}`;

function everySeconds(say: AdminTools['say']): (sofar: MigratedMedia) => void {
  let next = Date.now() + PROGRESS_MS;
  return ({ sealed, bytes }) => {
    if (Date.now() < next) return;
    next = Date.now() + PROGRESS_MS;
    say(`media: ${sealed} objects, ${(bytes / MIB).toFixed(0)} MB so far`);
  };
}
