import type { Command } from 'commander';
import type { Context } from '../context.js';
import { printable } from '../terminal.js';
import { clockTime } from '../times.js';
import { parseCount } from '../transcribe/job-settings.js';

interface Options {
  job?: string;
  speaker?: string;
  language?: string;
  limit: number;
}

/** Adds `parlance search`. */
export function addSearch(program: Command, context: Context): void {
  program
    .command('search')
    .description('find passages by words and by meaning')
    .argument('<words...>', 'what to look for')
    .option('--job <id>', 'only in this job')
    .option('--speaker <name>', 'only of this speaker')
    .option('-l, --language <tag>', 'only in this language')
    .option('-n, --limit <number>', 'how many', parseCount, 10)
    .action(async (words: string[], { job, speaker, language, limit }: Options) => {
      const client = await context.client();
      let count = 0;
      for await (const hit of client.search({ q: words.join(' '), job_id: job, speaker, language, limit: Math.min(limit, 100) }, { signal: context.signal })) {
        count += 1;
        if (context.terminal.isJson) context.terminal.printJson(hit);
        else context.terminal.print(`${context.terminal.styled('dim', `${hit.job_id}  ${clockTime(hit.jump_to)}`)}  ${printable(`${hit.speaker ? `${hit.speaker}: ` : ''}${hit.text}`)}`);
        if (count === limit) break;
      }
      if (count === 0) context.terminal.note('Nothing was found.');
    });
}
