import type { Account, AccountTools } from '@parlance/gateway/operators';
import { Command } from 'commander';
import { addDeletionCommands } from './account-deletion-command.js';
import { accountDetails, accountJson, accountTable, keyJson } from './account-views.js';
import { json as jsonOf, type AdminTools } from './admin-tools.js';
import { keysOf, onAccounts } from './on-accounts.js';
import { emailAddress, jsonOption, positiveInteger, timeoutOption, wholeNumber, type ServerOptions } from './options.js';

type RetentionOptions = ServerOptions & { default?: number; max?: number; media?: number };
type CreateOptions = ServerOptions & { email?: string; organization?: string; plan?: string };

const PAGE = 100;

/** Creates and changes accounts, the owners of jobs and keys. */
export function accountsCommand(tools: AdminTools): Command {
  const { print } = tools;
  const json = (value: unknown) => print(jsonOf(value));
  const accounts = new Command('accounts').description('manage accounts; changes take effect within five seconds');
  const command = (name: string, description: string) => accounts.command(name).description(description).addOption(timeoutOption()).addOption(jsonOption());

  command('create', 'create an account; prints its first key, which is shown only once')
    .option('--email <address>', 'e-mail address of its holder', emailAddress)
    .option('--organization <name>', 'organization that it belongs to')
    .option('--plan <plan>', 'name of its plan (default: the plan of accounts that sign up)')
    .action((options: CreateOptions) =>
      onAccounts(tools, options, async ({ accounts: store, audit }) => {
        const { email, organization, plan } = options;
        const { account, key } = await store.create({ email, organization, plan });
        await audit.recordCreated(account.id, 'createAccount', [key.key.id]);
        if (options.json) json({ ...accountJson(account), key_id: key.key.id, api_key: key.apiKey });
        else print(`account ${account.id}\nkey     ${key.apiKey}`);
      }),
    );

  command('list', 'newest first')
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .action((options: ServerOptions & { limit: number }) =>
      onAccounts(tools, options, async ({ accounts: store }) => {
        const found = await newest(store, options.limit);
        if (options.json) json(found.map(accountJson));
        else print(accountTable(found));
      }),
    );

  command('show', 'show an account, with its keys')
    .argument('<account>')
    .action((id: string, options: ServerOptions) =>
      onAccounts(tools, options, async (all) => {
        const account = await all.accounts.require(id);
        const keys = await keysOf(all, id);
        if (options.json) json({ ...accountJson(account), keys: keys.map(keyJson) });
        else print(accountDetails(account, keys));
      }),
    );

  const changing = (id: string, action: string, options: ServerOptions, done: string, change: (store: AccountTools['accounts']) => Promise<Account>) =>
    onAccounts(tools, options, async ({ accounts: store, audit }) => {
      await store.require(id);
      const account = await audit.record({ accountId: id, action }, () => change(store));
      if (options.json) json(accountJson(account));
      else print(`${done} ${account.id}`);
    });

  command('disable', 'refuse all of its keys, with 403 account_disabled; its jobs continue')
    .argument('<account>')
    .option('--reason <text>', 'for operators')
    .action((id: string, options: ServerOptions & { reason?: string }) => changing(id, 'disableAccount', options, 'disabled', (store) => store.disable(id, options.reason)));

  command('enable', 'accept its keys again')
    .argument('<account>')
    .action((id: string, options: ServerOptions) => changing(id, 'enableAccount', options, 'enabled', (store) => store.enable(id)));

  command('plan', 'change its plan (plans list), for everything it does from now on')
    .argument('<account>')
    .argument('<plan>')
    .action((id: string, plan: string, options: ServerOptions) => changing(id, 'setPlan', options, `plan changed to ${plan}:`, (store) => store.setPlan(id, plan)));

  command('retention', 'set how long its jobs and their media are kept, in hours; what is left out is as its plan says')
    .argument('<account>')
    .option('--default <hours>', 'for jobs that do not request a retention', wholeNumber)
    .option('--max <hours>', 'maximum that a job can request', positiveInteger)
    .option('--media <hours>', 'for the media of jobs that do not request a retention', wholeNumber)
    .action((id: string, { default: defaultHours, max: maxHours, media: mediaHours, ...options }: RetentionOptions) => {
      const retention = {
        ...(defaultHours !== undefined && { defaultHours }),
        ...(maxHours !== undefined && { maxHours }),
        ...(mediaHours !== undefined && { mediaHours }),
      };
      return changing(id, 'setRetention', options, 'set the retention of', (store) => store.setRetention(id, retention));
    });
  addDeletionCommands(accounts, tools);
  return accounts;
}

async function newest(store: AccountTools['accounts'], limit: number): Promise<Account[]> {
  const found: Account[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < limit; ) {
    const page = await store.list({ limit: Math.min(PAGE, limit - found.length), cursor });
    found.push(...page.items.map(({ document }) => document));
    cursor = page.nextCursor;
  }
  return found;
}
