import type { Parlance } from '@parlance/client';
import { Option, type Command } from 'commander';
import type { Context } from '../context.js';

type UsageQuery = NonNullable<Parameters<Parlance['usage']>[0]>;

interface Account {
  plan: string;
  free_seconds_left: number | null;
}

interface Options {
  from?: string;
  to?: string;
  by: NonNullable<UsageQuery['group_by']>;
}

/** Adds `parlance usage`. */
export function addUsage(program: Command, context: Context): void {
  program
    .command('usage')
    .description('show the seconds that were transcribed')
    .option('--from <date>', 'first day, such as 2026-11-01')
    .option('--to <date>', 'day after the last')
    .addOption(new Option('--by <group>', 'group by').choices(['day', 'key', 'operation', 'project']).default('day'))
    .action(async ({ from, to, by }: Options) => {
      const client = await context.client();
      const usage = await client.usage({ from, to, group_by: by }, { signal: context.signal });
      const { terminal } = context;
      if (terminal.isJson) return terminal.printJson(usage);
      const account = await client.request<Account>({ method: 'GET', path: '/account' }, { signal: context.signal }).catch(() => undefined);
      terminal.table([...usage.data.map(({ group, seconds, requests }) => [group, minutes(seconds), `${requests} requests`]), ['total', minutes(usage.total_seconds), '']]);
      if (account) terminal.note(`Plan ${account.plan}, ${account.free_seconds_left === null ? 'without a limit' : `${minutes(account.free_seconds_left)} left`}.`);
    });
}

const minutes = (seconds: number) => `${(seconds / 60).toFixed(1)} min`;
