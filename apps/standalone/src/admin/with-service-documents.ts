import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocuments, portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import type { ServiceName } from '@parlance/runtime/service-manifest';
import type { DocumentDatabase } from '@parlance/storage';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import { answeringSoon } from './indexes-command.js';
import { untilAvailable, type WaitOptions } from './until-available.js';

const { PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD } = processConfig;

/** Opens one service's database beside the servers; nothing is created where there is none. */
export async function withServiceDocuments(
  env: Record<string, string | undefined>,
  service: ServiceName,
  wait: WaitOptions,
  work: (documents: DocumentDatabase) => Promise<void>,
): Promise<void> {
  const urls = portUrls(readConfig({ PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD }, { env, readFile: (path) => readFileSync(path, 'utf8') }));
  const folder = urls.documents.startsWith('sqlite:') ? urls.documents.slice('sqlite:'.length) : undefined;
  if (folder !== undefined && !existsSync(join(folder, `${service}.db`))) {
    throw new AdminFailure(`There are no documents of ${service} at ${urls.documents}; is PARLANCE_DATA or DATABASE_URL right?`, EXIT_FAILED);
  }
  const documents = folder === undefined ? answeringSoon(urls.documents) : urls.documents;
  const log = createLogger({ level: 'error', destination: process.stderr });
  const database = await openDocuments({ ...urls, documents }, service, { clock: systemClock, ids: ulidGenerator(), log });
  try {
    await untilAvailable(() => database.check(), wait);
    await work(database);
  } finally {
    await database.close();
  }
}
