import type { Command } from 'commander';
import type { Context } from '../context.js';

/** Adds `parlance cancel`. */
export function addCancel(program: Command, context: Context): void {
  program
    .command('cancel')
    .description('stop jobs')
    .argument('<job...>', 'ids of jobs')
    .action(async (jobIds: string[]) => {
      const client = await context.client();
      for (const jobId of jobIds) {
        const job = await client.transcriptions.cancel(jobId, { signal: context.signal });
        if (context.terminal.isJson) context.terminal.printJson(job);
        else context.terminal.print(`${jobId}  ${job.status}`);
      }
    });
}
