import type { ChatAnswer } from '@parlance/client';
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { printable } from '../terminal.js';
import { clockTime } from '../times.js';

interface Options {
  job?: string;
  conversation?: string;
}

/** Adds `parlance ask`. */
export function addAsk(program: Command, context: Context): void {
  program
    .command('ask')
    .description('ask a question about what was said; the answer is printed while it is written')
    .argument('<question...>')
    .option('--job <id>', 'only about this job')
    .option('--conversation <id>', 'continue a conversation')
    .action(async (words: string[], { job, conversation }: Options) => {
      const client = await context.client();
      const { terminal } = context;
      for await (const event of client.chat.stream({ message: words.join(' '), job_id: job, conversation_id: conversation }, { signal: context.signal })) {
        if (event.event === 'delta' && !terminal.isJson) terminal.write(event.text);
        if (event.event === 'done') printEnd(event, context);
      }
    });
}

function printEnd(answer: ChatAnswer, { terminal }: Context): void {
  if (terminal.isJson) return terminal.printJson(answer);
  terminal.write('\n');
  if (answer.citations.length > 0) terminal.write('\n');
  for (const [index, { job_id: jobId, start, quote }] of answer.citations.entries()) terminal.print(`[${index + 1}] ${terminal.styled('dim', `${jobId}  ${clockTime(start)}`)}  ${printable(quote)}`);
  terminal.note(`To continue: parlance ask --conversation ${answer.conversation_id} …`);
}
