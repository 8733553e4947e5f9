import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Account } from '@parlance/gateway/operators';
import { readConfig, systemClock } from '@parlance/platform';
import type { Command } from 'commander';
import { accountJson } from './account-views.js';
import { json, type AdminTools } from './admin-tools.js';
import { onAccounts } from './on-accounts.js';
import { onWork } from './on-work.js';
import { jsonOption, timeoutOption, wholeNumber, type ServerOptions } from './options.js';

/** Deletes and exports accounts, and withdraws deletions. The running gateways do the work: they look once a minute. */
export function addDeletionCommands(accounts: Command, tools: AdminTools): void {
  const { env, print } = tools;
  const command = (name: string, description: string) => accounts.command(name).description(description).argument('<account>').addOption(timeoutOption()).addOption(jsonOption());
  const printed = (account: Account, text: string, options: ServerOptions) => print(options.json ? json(accountJson(account)) : text);

  command('delete', 'cancel its jobs and refuse new ones; erase everything of it when its time is over')
    .option('--days <number>', 'days until the erasure, in which it can be restored (default: ACCOUNT_DELETION_DAYS)', wholeNumber)
    .action(async (id: string, options: ServerOptions & { days?: number }) => {
      await onWork(tools, options, ({ holds }) => holds.requireNone(id));
      await onAccounts(tools, options, async ({ accounts: store, audit }) => {
        const { deletionConfig, newDeletion } = await import('@parlance/gateway/operators');
        await store.require(id);
        const days = options.days ?? readConfig(deletionConfig, { env, readFile: (path) => readFileSync(path, 'utf8') }).ACCOUNT_DELETION_DAYS;
        const deletion = newDeletion(randomBytes, systemClock.now(), days, true);
        const account = await audit.record({ accountId: id, action: 'deleteAccount' }, () => store.scheduleDeletion(id, deletion));
        printed(account, `${id} is erased at ${account.deletion?.dueAt}\nreceipt ${account.deletion?.erasureId}`, options);
      });
    });

  command('export', 'make an archive of everything of it, for a key of the account with the scope keys to download')
    .option('--media', 'with the recordings')
    .action((id: string, options: ServerOptions & { media?: true }) =>
      onAccounts(tools, options, async ({ accounts: store, audit, orderExport }) => {
        await store.require(id);
        const exportId = await audit.record({ accountId: id, action: 'exportAccount' }, () => orderExport(id, options.media === true), (made) => [made]);
        print(options.json ? json({ export_id: exportId }) : `ordered ${exportId}: GET /api/v1/account/export has its state`);
      }),
    );

  command('restore', 'withdraw its deletion; canceled jobs stay canceled').action(async (id: string, options: ServerOptions) => {
    await onAccounts(tools, options, async ({ accounts: store, audit }) => {
      await store.require(id);
      const account = await audit.record({ accountId: id, action: 'restoreAccount' }, () => store.withdrawDeletion(id, 'operator'));
      await onWork(tools, options, (work) => work.reopen(id));
      printed(account, `restored ${id}`, options);
    });
  });
}
