import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { readConfig, silentLogger } from '@parlance/platform';
import { portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import { searchConfig } from '@parlance/search/config';
import { searchIndexCommands } from '@parlance/search-index';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption, timeoutOption, type ServerOptions } from './options.js';
import { untilAvailable } from './until-available.js';

type OnServer = NonNullable<Awaited<ReturnType<typeof searchIndexCommands>>>;
type Connection = Parameters<OnServer['checkSearchServer']>;

interface Outcome {
  report: object;
  lines: string[];
}

const { PARLANCE_DATA, SEARCH_URL, SEARCH_PASSWORD } = processConfig;

/** Makes the search index, brings it to a new mapping, fills it anew, and takes deleted text off the disk. */
export function searchCommand(tools: AdminTools): Command {
  return new Command('search')
    .description('manage the search index (SEARCH_URL)')
    .addCommand(rebuildCommand(tools))
    .addCommand(onServer(new Command('migrate').description('OpenSearch: create the missing indices; may be run again at any time'), tools, migrate))
    .addCommand(
      onServer(
        new Command('reindex').description('OpenSearch: copy all passages into an index with the current mapping and SEARCH_DIMENSIONS, while searches and writes continue'),
        tools,
        reindex,
      ).option('--restart', 'drop the copy that a killed reindex left behind; only when no reindex is running'),
    )
    .addCommand(onServer(new Command('purge').description('OpenSearch: remove deleted passages from the disk; they cannot be found even before'), tools, purge));
}

type RebuildOptions = ServerOptions & { status?: true };

/** Rebuilds the index of either shape: the service reads each transcript again. */
function rebuildCommand({ print, say, withDocuments }: AdminTools): Command {
  return new Command('rebuild')
    .description('rebuild the index from the transcripts, for instance after it was lost; the running service starts within a minute, and searches an account by words until it is done')
    .option('--status', 'only show how many transcripts are left to rebuild')
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(async ({ timeout, json: asJson, status }: RebuildOptions) => {
      // Only this command waits for it to load.
      const { IndexRebuild } = await import('@parlance/search/operators');
      await withDocuments('search', { timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) }, async (documents) => {
        const rebuild = new IndexRebuild(documents);
        const transcripts = status ? await rebuild.left() : await rebuild.request();
        print(asJson ? json({ transcripts_left: transcripts }) : `${transcripts} transcripts to be reindexed`);
      });
    });
}

type Work = (index: OnServer, connection: Connection, options: { restart?: true }) => Promise<Outcome>;

function onServer(command: Command, { env, print, say }: AdminTools, work: Work): Command {
  return command
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(async ({ timeout, json: asJson, ...options }: ServerOptions & { restart?: true }) => {
      const { SEARCH_DIMENSIONS: dimensions, ...config } = readConfig({ PARLANCE_DATA, SEARCH_URL, SEARCH_PASSWORD, ...searchConfig }, { env, readFile: (path) => readFileSync(path, 'utf8') });
      const { search: url, searchPassword: password } = portUrls(config);
      const index = await searchIndexCommands(url);
      if (!index) return print(asJson ? '{}' : 'Nothing to do: SEARCH_URL is not OpenSearch.');
      const connection: Connection = [url, { dimensions, password, log: silentLogger() }];
      // Only this waits for a server that comes up: a copy is not begun twice.
      await untilAvailable(() => index.checkSearchServer(...connection), { timeout, onWait: (reason) => say(`Waiting for OpenSearch: ${reason}`) });
      const { report, lines } = await work(index, connection, options);
      print(asJson ? json(report) : lines.join('\n'));
    });
}

const migrate: Work = async (index, connection) => {
  const report = await index.migrateSearchIndex(...connection);
  const lines = report.created.length === 0 ? ['nothing to create'] : report.created.map((name) => `${name}: created`);
  if (report.needsReindex) lines.push('The passages have another mapping or other dimensions: run "parlance-admin search reindex"; search is not ready until then.');
  return { report, lines };
};

const reindex: Work = async (index, [url, options], { restart }) => {
  const report = await index.reindexSearchIndex(url, { ...options, restart: restart === true });
  return { report, lines: [`${report.passages} passages copied from ${report.from} to ${report.to}`] };
};

const purge: Work = async (index, connection) => {
  await index.purgeSearchIndex(...connection);
  return { report: { purged: true }, lines: ['Deleted passages were removed from the disk.'] };
};
