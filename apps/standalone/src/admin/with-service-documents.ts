import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
import { openOwnKeys } from '@parlance/runtime/open-keys';
import { openDocuments, portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import type { ServiceName } from '@parlance/runtime/service-manifest';
import type { DataKeys, DocumentDatabase } from '@parlance/storage';
import { installedKeyProvider } from '../master-keys.js';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import { answeringSoon } from './indexes-command.js';
import { untilAvailable, type WaitOptions } from './until-available.js';

const { PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, KEY_PROVIDER } = processConfig;

/** Opens one service's database beside the servers; nothing is created where there is none. */
export async function withServiceDocuments(
  env: Record<string, string | undefined>,
  service: ServiceName,
  wait: WaitOptions,
  work: (documents: DocumentDatabase, keys: DataKeys | undefined) => Promise<void>,
): Promise<void> {
  const config = readConfig({ PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, KEY_PROVIDER }, { env, readFile: (path) => readFileSync(path, 'utf8') });
  const urls = portUrls(config);
  const folder = urls.documents.startsWith('sqlite:') ? urls.documents.slice('sqlite:'.length) : undefined;
  if (folder !== undefined && !existsSync(join(folder, `${service}.db`))) {
    throw new AdminFailure(`There are no documents of ${service} at ${urls.documents}; is PARLANCE_DATA or DATABASE_URL right?`, EXIT_FAILED);
  }
  const documents = folder === undefined ? answeringSoon(urls.documents) : urls.documents;
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: createLogger({ level: 'error', destination: process.stderr }) };
  const provider = installedKeyProvider(config);
  await using closing = new AsyncDisposableStack();
  const opened = provider === undefined ? undefined : await openOwnKeys({ ...urls, documents }, provider, dependencies);
  if (opened) closing.defer(() => opened.close());
  const database = await openDocuments({ ...urls, documents }, service, dependencies, opened?.keys);
  try {
    await untilAvailable(() => database.check(), wait);
    await work(database, opened?.keys);
  } finally {
    await database.close();
  }
}
