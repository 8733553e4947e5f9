import type { IssuedKey, Scope } from '@parlance/gateway/operators';
import { notFound, systemClock } from '@parlance/platform';
import { Command, InvalidArgumentError } from 'commander';
import { keyJson, keyTable } from './account-views.js';
import { json as jsonOf, type AdminTools } from './admin-tools.js';
import { keysOf, onAccounts } from './on-accounts.js';
import { jsonOption, timeoutOption, type ServerOptions } from './options.js';

type CreateOptions = ServerOptions & { name: string; scopes?: string[]; expiresAt?: string };

const MAX_NAME = 100;

/** The keys of an account, where its holder cannot help itself. */
export function keysCommand(tools: AdminTools): Command {
  const { print } = tools;
  const json = (value: unknown) => print(jsonOf(value));
  const keys = new Command('keys').description('manage the API keys of an account; changes take effect within five seconds');
  const command = (name: string, description: string) => keys.command(name).description(description).addOption(timeoutOption()).addOption(jsonOption());
  const show = (options: ServerOptions, { key, apiKey }: IssuedKey) => {
    if (options.json) json({ ...keyJson(key), api_key: apiKey });
    else print(`id  ${key.id}\nkey ${apiKey}`);
  };

  command('list', 'newest first, with when they were last used')
    .argument('<account>')
    .action((account: string, options: ServerOptions) =>
      onAccounts(tools, options, async (all) => {
        await all.accounts.require(account);
        const found = await keysOf(all, account);
        if (options.json) json(found.map(keyJson));
        else print(keyTable(found));
      }),
    );

  command('create', 'create a key, which is shown only once')
    .argument('<account>')
    .option('--name <name>', 'name of the key', nameOfKey, 'created by the operator')
    .option('--scopes <scopes>', 'scopes of the key, comma-separated (default: all)', (text) => text.split(',').map((scope) => scope.trim()))
    .option('--expires-at <time>', 'time after which the key is refused (RFC 3339)', future)
    .action((account: string, options: CreateOptions) =>
      onAccounts(tools, options, async ({ accounts, keys: store }) => {
        await accounts.require(account);
        const { SCOPES } = await import('@parlance/gateway/operators');
        const scopes = options.scopes === undefined ? SCOPES : scopesOf(options.scopes, SCOPES, keys);
        show(options, await store.issue({ accountId: account, name: options.name, scopes, expiresAt: options.expiresAt }));
      }),
    );

  command('revoke', 'revoke a key at once')
    .argument('<key>')
    .option('--allow-lockout', 'also revoke the last key that can give one of its scopes to new keys')
    .action((id: string, options: ServerOptions & { allowLockout?: true }) =>
      onAccounts(tools, options, async ({ keys: store, uses }) => {
        const key = await store.get(id);
        if (!key) throw notFound(`The key ${id}`);
        await store.revoke(key.accountId, id, { allowLockout: options.allowLockout });
        await uses.forget(id);
        if (options.json) json({ revoked: id });
        else print(`revoked ${id}`);
      }),
    );

  command('rotate', 'create a new key like this one; this key expires after the overlap')
    .argument('<key>')
    .option('--overlap <seconds>', 'seconds in which both keys work', seconds, 0)
    .action((id: string, options: ServerOptions & { overlap: number }) =>
      onAccounts(tools, options, async ({ keys: store }) => {
        const key = await store.get(id);
        if (!key) throw notFound(`The key ${id}`);
        show(options, await store.rotate(key.accountId, id, options.overlap));
      }),
    );
  return keys;
}

function scopesOf(names: readonly string[], known: readonly Scope[], command: Command): Scope[] {
  const wrong = names.filter((name) => !known.some((scope) => scope === name));
  if (wrong.length > 0) command.error(`error: the scope ${wrong.join(', ')} does not exist (${known.join(', ')})`);
  return known.filter((scope) => names.includes(scope));
}

function nameOfKey(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME) throw new InvalidArgumentError(`It must have 1 to ${MAX_NAME} characters.`);
  return name;
}

function future(text: string): string {
  const time = new Date(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? text : Number.NaN);
  if (!(time > systemClock.now())) throw new InvalidArgumentError('It must be a time in the future, like 2027-01-31T00:00:00Z.');
  return time.toISOString();
}

const MONTH_SECONDS = 30 * 24 * 60 * 60;

function seconds(text: string): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) > MONTH_SECONDS) throw new InvalidArgumentError(`It must be a number from 0 to ${MONTH_SECONDS}.`);
  return Number(text);
}
