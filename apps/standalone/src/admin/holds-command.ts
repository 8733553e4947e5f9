import { Command, InvalidArgumentError } from 'commander';
import { json, type AdminTools } from './admin-tools.js';
import { onAccounts } from './on-accounts.js';
import { onWork } from './on-work.js';
import { futureTime, jsonOption, timeoutOption, type ServerOptions } from './options.js';

type SetOptions = ServerOptions & { reason: string; until?: string };

const MAX_REASON = 500;

/** Legal holds of the operator, which the account can neither change nor lift. */
export function holdsCommand(tools: AdminTools): Command {
  const { print } = tools;
  const holds = new Command('holds').description('put accounts and jobs under a legal hold: nothing of them is erased');
  const command = (name: string, description: string) => holds.command(name).description(description).argument('<account or job>').addOption(timeoutOption()).addOption(jsonOption());

  command('set', 'set a hold, in place of one before')
    .requiredOption('--reason <text>', 'for instance a file number; the account can read it', reason)
    .option('--until <time>', 'time at which it ends by itself (RFC 3339)', futureTime)
    .action(async (id: string, { reason: why, until, ...options }: SetOptions) => {
      await recorded(tools, options, id, 'setLegalHold', (work) => (isJob(id) ? work.holdJob(id, why, until) : work.holds.set(id, { reason: why, byOperator: true, ...(until !== undefined && { until }) })));
      print(options.json ? json({ held: id, reason: why, until }) : `held ${id}`);
    });

  command('lift', 'lift the hold, also one that the account set').action(async (id: string, options: ServerOptions) => {
    await recorded(tools, options, id, 'liftLegalHold', (work) => (isJob(id) ? work.releaseJob(id) : work.holds.lift(id, true)));
    print(options.json ? json({ lifted: id }) : `lifted the hold of ${id}`);
  });
  return holds;
}

type Work = Parameters<Parameters<typeof onWork>[2]>[0];

/** Makes the change between its two records in the audit log of the account. */
async function recorded(tools: AdminTools, options: ServerOptions, id: string, action: string, change: (work: Work) => Promise<void>): Promise<void> {
  await onWork(tools, options, async (work) => {
    const accountId = isJob(id) ? await work.accountOf(id) : id;
    await onAccounts(tools, options, async ({ accounts, audit }) => {
      await accounts.require(accountId);
      await audit.record({ accountId, action, resources: isJob(id) ? [id] : [] }, () => change(work));
    });
  });
}

const isJob = (id: string): boolean => id.startsWith('job_');

function reason(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_REASON) throw new InvalidArgumentError(`It must have 1 to ${MAX_REASON} characters.`);
  return trimmed;
}
