import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutboxSource } from '@parlance/event-bus';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocuments, portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import { SERVICE_NAMES } from '@parlance/runtime/service-manifest';
import type { DocumentDatabase } from '@parlance/storage';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import type { Outboxes } from './admin-tools.js';
import { answeringSoon } from './indexes-command.js';
import { untilAvailable, type WaitOptions } from './until-available.js';

const { PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD } = processConfig;

/** Opens the services' databases beside the servers, for their outboxes; nothing is created where there is none. */
export async function withOutboxes(env: Record<string, string | undefined>, wait: WaitOptions, work: (outboxes: Outboxes) => Promise<void>): Promise<void> {
  const urls = portUrls(readConfig({ PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD }, { env, readFile: (path) => readFileSync(path, 'utf8') }));
  const folder = urls.documents.startsWith('sqlite:') ? urls.documents.slice('sqlite:'.length) : undefined;
  const services = SERVICE_NAMES.filter((service) => folder === undefined || existsSync(join(folder, `${service}.db`)));
  if (services.length === 0) throw new AdminFailure(`There are no documents at ${urls.documents}; is PARLANCE_DATA or DATABASE_URL right?`, EXIT_FAILED);
  const documents = folder === undefined ? answeringSoon(urls.documents) : urls.documents;
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: createLogger({ level: 'error', destination: process.stderr }) };
  const opened: DocumentDatabase[] = [];
  const outboxes = new Map<string, OutboxSource>();
  try {
    for (const service of services) {
      const database = await openDocuments({ ...urls, documents }, service, dependencies);
      opened.push(database);
      await untilAvailable(() => database.check(), wait);
      outboxes.set(service, database.outbox);
    }
    await work(outboxes);
  } finally {
    await Promise.all(opened.map((database) => database.close()));
  }
}
