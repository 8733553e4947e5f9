import { Command } from 'commander';
import { notFound, toAppError } from '@parlance/platform';
import type { DeadTask, DeadTasks } from '@parlance/task-queue';
import { json as jsonOf, type AdminTools } from './admin-tools.js';
import { jsonOption, positiveInteger } from './options.js';
import { details, shortened, table } from './table.js';

interface ListOptions {
  queue?: string;
  limit: number;
  json?: true;
}

/** The maximum number of tasks of one `--all`; tasks that fail again meanwhile are left for the next call. */
const ALL_AT_ONCE = 10_000;

/** Tasks that failed their last try: look, put them back into their queue, or give up on them. */
export function tasksCommand({ print, withTaskQueues }: AdminTools): Command {
  const onDead = (work: (dead: readonly DeadTasks[]) => Promise<void>) => withTaskQueues((queues) => work(queues.map(({ deadTasks }) => deadTasks)));
  const tasks = new Command('tasks').description('manage tasks that failed their last try');

  tasks
    .command('list')
    .description('list the newest failures with their reasons')
    .option('--queue <queue>', 'only tasks of this queue, such as transcription')
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .addOption(jsonOption())
    .action(({ json, queue, limit }: ListOptions) =>
      onDead(async (dead) => {
        const found = await listed(dead, { limit, ...(queue !== undefined && { queue }) });
        print(json ? jsonOf(found.map(deadTaskJson)) : deadTaskTable(found));
      }),
    );

  tasks
    .command('show')
    .description('show a failed task')
    .argument('<queue>')
    .argument('<id>')
    .action((queue: string, id: string) =>
      onDead(async (dead) => {
        const found = (await Promise.all(dead.map((each) => each.get(queue, id)))).find((task) => task !== undefined);
        if (!found) throw notFound('The dead task');
        const { task, reason, attempts, failedAt } = found;
        print(details({ queue, id, 'failed at': failedAt.toISOString(), tries: attempts, reason }, task.payload, 'payload'));
      }),
    );

  for (const [name, description, done] of [
    ['replay', 'put failed tasks back into their queue, after the cause is repaired', 'replayed'],
    ['drop', 'remove failed tasks for ever', 'dropped'],
  ] as const) {
    tasks
      .command(name)
      .description(description)
      .argument('<queue>')
      .argument('[id]')
      .option('--all', 'all failed tasks of the queue')
      .action((queue: string, id: string | undefined, { all }: { all?: true }, command: Command) => {
        if ((id !== undefined) === Boolean(all)) command.error('error: give an id, or --all');
        return onDead(async (dead) => {
          const ids = id === undefined ? (await listed(dead, { queue, limit: ALL_AT_ONCE })).map(({ task }) => task.id) : [id];
          for (const each of ids) await inOneOf(dead, (deadTasks) => deadTasks[name](queue, each));
          print(`${ids.length} ${done}`);
        });
      });
  }
  return tasks;
}

async function listed(dead: readonly DeadTasks[], { limit, ...which }: { queue?: string; limit: number }): Promise<DeadTask[]> {
  const found = (await Promise.all(dead.map((each) => each.list({ ...which, limit })))).flat();
  return found.toSorted((a, b) => b.failedAt.getTime() - a.failedAt.getTime()).slice(0, limit);
}

/** On servers each service has a queue of its own, and one of them has the task. @throws AppError not_found */
async function inOneOf(dead: readonly DeadTasks[], work: (deadTasks: DeadTasks) => Promise<void>): Promise<void> {
  for (const each of dead) {
    try {
      return await work(each);
    } catch (error) {
      if (toAppError(error).kind !== 'not_found') throw error;
    }
  }
  throw notFound('The dead task');
}

const deadTaskJson = ({ queue, task, reason, attempts, failedAt }: DeadTask): Record<string, unknown> => ({
  queue,
  id: task.id,
  account_id: task.accountId,
  group: task.group,
  reason,
  attempts,
  failed_at: failedAt.toISOString(),
  payload: task.payload,
});

function deadTaskTable(tasks: readonly DeadTask[]): string {
  if (tasks.length === 0) return 'No dead tasks.';
  const rows = tasks.map(({ queue, task, failedAt, attempts, reason }) => [queue, task.id, failedAt.toISOString(), task.accountId, String(attempts), shortened(reason)]);
  return table(['QUEUE', 'ID', 'FAILED AT', 'ACCOUNT', 'TRIES', 'REASON'], rows);
}
