import type { Command } from 'commander';
import type { Context } from '../context.js';
import { parseCount } from '../transcribe/job-settings.js';

type Status = 'queued' | 'processing' | 'completed' | 'failed' | 'canceled';

/** Adds `parlance list`. */
export function addList(program: Command, context: Context): void {
  program
    .command('list')
    .description('list jobs, the newest first')
    .option('--status <status>', 'queued, processing, completed, failed or canceled')
    .option('-n, --limit <number>', 'how many', parseCount, 20)
    .option('--query <text>', 'only those whose title or file name has this text')
    .action(async ({ status, limit, query }: { status?: Status; limit: number; query?: string }) => {
      const client = await context.client();
      const rows: string[][] = [];
      for await (const job of client.transcriptions.list({ status, q: query, limit: Math.min(limit, 100) }, { signal: context.signal })) {
        if (context.terminal.isJson) context.terminal.printJson(job);
        rows.push([job.job_id, job.status, job.created_at.slice(0, 16).replace('T', ' '), job.title ?? job.file_name ?? job.audio_url ?? job.kind]);
        if (rows.length === limit) break;
      }
      if (context.terminal.isJson) return;
      if (rows.length === 0) return context.terminal.note('There are no jobs. `parlance transcribe FILE` makes one.');
      context.terminal.table(rows);
    });
}
