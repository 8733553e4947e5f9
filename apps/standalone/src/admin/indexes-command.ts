import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { readConfig, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openTasks, portUrls, type PortUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import type { ServiceName } from '@parlance/runtime/service-manifest';
import type { DocumentDatabase, IndexOptions, IndexReport } from '@parlance/storage';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption, timeoutOption, type ServerOptions } from './options.js';
import { untilAvailable } from './until-available.js';

type IndexesOptions = ServerOptions & { dryRun?: true; dropUnused?: true };

const { PARLANCE_DATA, TASK_QUEUE_URL, DATABASE_URL, DATABASE_PASSWORD } = processConfig;

/** Creates indexes when an operator says so: on a large collection that is work for the server. */
export function indexesCommand({ env, print, say }: AdminTools): Command {
  return new Command('indexes')
    .description('create the missing indexes of MongoDB (DATABASE_URL); may be run again at any time')
    .option('--dry-run', 'only show what would be done')
    .option('--drop-unused', 'drop indexes that no service uses any more; only when no older version runs')
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(async ({ timeout, json: asJson, ...options }: IndexesOptions) => {
      const urls = portUrls(readConfig({ PARLANCE_DATA, TASK_QUEUE_URL, DATABASE_URL, DATABASE_PASSWORD }, { env, readFile: (path) => readFileSync(path, 'utf8') }));
      if (!isMongo(urls.documents)) return print(asJson ? '{}' : 'Nothing to do: DATABASE_URL is not MongoDB.');
      // The services, for what they declare: only this command waits for them to load.
      const { withDeclaredCollections } = await import('./declared-collections.js');
      const reports: Record<string, IndexReport> = {};
      await withDeclaredCollections(env, { ...urls, documents: answeringSoon(urls.documents) }, async (service, database) => {
        const ensure = async () => {
          // Answers at once whether the server is there; a call would wait for it.
          await database.check();
          return ensureIndexes(service, database, urls, options);
        };
        const report = await untilAvailable(ensure, { timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) });
        reports[service] = report;
        if (!asJson) for (const line of linesOf(service, report, options)) print(line);
      });
      if (asJson) print(json(reports));
    });
}

const isMongo = (url: string): boolean => /^mongodb(\+srv)?:/.test(url);

/** Includes the indexes of the service's task queue when that is in MongoDB too. */
async function ensureIndexes(service: ServiceName, database: DocumentDatabase, urls: PortUrls, options: IndexOptions): Promise<IndexReport> {
  const documents = await database.ensureIndexes(options);
  if (!isMongo(urls.tasks)) return documents;
  const queue = await openTasks({ ...urls, tasks: answeringSoon(urls.tasks) }, { clock: systemClock, ids: ulidGenerator(), log: silentLogger() }, { service });
  try {
    const tasks = await queue.ensureIndexes(options);
    return { created: [...documents.created, ...tasks.created], unused: [...documents.unused, ...tasks.unused] };
  } finally {
    await queue.close();
  }
}

/** A server that is away is tried again here, and its reason is shown; the driver alone would look for it in silence. */
export function answeringSoon(url: string): string {
  if (/[?&]serverSelectionTimeoutMS=/i.test(url)) return url;
  const separator = url.includes('?') ? '&' : /^[a-z+]+:\/\/[^/]+$/.test(url) ? '/?' : '?';
  return `${url}${separator}serverSelectionTimeoutMS=1500`;
}

function linesOf(service: string, { created, unused }: IndexReport, { dryRun, dropUnused }: Pick<IndexesOptions, 'dryRun' | 'dropUnused'>): string[] {
  const would = dryRun ? 'would be ' : '';
  const lines = [
    ...created.map((index) => `${service} ${index}: ${would}created`),
    ...unused.map((index) => `${service} ${index}: ${dropUnused ? `${would}dropped` : 'unused (--drop-unused drops it)'}`),
  ];
  return lines.length === 0 ? [`${service}: nothing to do`] : lines;
}
