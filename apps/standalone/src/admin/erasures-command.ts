import { systemClock } from '@parlance/platform';
import { Command } from 'commander';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption, timeoutOption, type ServerOptions } from './options.js';

/** Exports which jobs were erased, outside of any backup, and erases them again after a restore. */
export function erasuresCommand({ env, print, say, withDocuments }: AdminTools): Command {
  const erasures = new Command('erasures').description('list erased jobs, to keep outside of backups, and replay the list after a restore');
  erasures
    .command('export')
    .description('print all erasures as lines of JSON, oldest first')
    .addOption(timeoutOption())
    .action(async ({ timeout }: ServerOptions) => {
      const { erasureLine, JobErasureLog } = await import('@parlance/ingest/operators');
      await withDocuments('ingest', { timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) }, async (documents) => {
        for await (const erased of new JobErasureLog(documents, systemClock).everything()) print(erasureLine(erased));
      });
    });
  erasures
    .command('replay')
    .description('erase again, in all services, what a restore brought back of the list; run it before the services start')
    .argument('<paths...>', 'erasure logs, or data folders')
    .addOption(jsonOption())
    .action(async (paths: string[], options: { json?: true }) => {
      const [{ erasedIn }, { replayErasures }] = await Promise.all([import('../backup/erased-in.js'), import('../backup/replay-erasures.js')]);
      const erased = (await Promise.all(paths.map((path) => erasedIn(path)))).flat();
      const count = await replayErasures(env, erased);
      print(options.json ? json({ erasures: erased.length, erased_again: count }) : `${count} of ${erased.length} erased jobs and accounts were restored and are erased again`);
    });
  return erasures;
}
