import type { IssuedKey, Scope } from '@parlance/gateway/operators';
import { notFound } from '@parlance/platform';
import { Command, InvalidArgumentError } from 'commander';
import { keyJson, keyTable } from './account-views.js';
import { json as jsonOf, type AdminTools } from './admin-tools.js';
import { keysOf, onAccounts } from './on-accounts.js';
import { futureTime, jsonOption, timeoutOption, type ServerOptions } from './options.js';

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
    .option('--scopes <scopes>', 'scopes of the key, comma-separated (default: all)', namesOf)
    .option('--expires-at <time>', 'time after which the key is refused (RFC 3339)', futureTime)
    .action((account: string, options: CreateOptions) =>
      onAccounts(tools, options, async ({ accounts, audit, keys: store }) => {
        await accounts.require(account);
        const { SCOPES } = await import('@parlance/gateway/operators');
        const scopes = options.scopes === undefined ? SCOPES : scopesOf(options.scopes, SCOPES, keys);
        const issue = () => store.issue({ accountId: account, name: options.name, scopes, expiresAt: options.expiresAt });
        show(options, await audit.record({ accountId: account, action: 'createKey' }, issue, createdId));
      }),
    );

  command('grant', 'add scopes to a key, such as audit to one of before the audit log')
    .argument('<key>')
    .requiredOption('--scopes <scopes>', 'scopes to add, comma-separated', namesOf)
    .action((id: string, options: ServerOptions & { scopes: string[] }) =>
      onAccounts(tools, options, async ({ audit, keys: store }) => {
        const { SCOPES } = await import('@parlance/gateway/operators');
        const scopes = scopesOf(options.scopes, SCOPES, keys);
        const key = await store.get(id);
        if (!key) throw notFound(`The key ${id}`);
        const granted = await audit.record({ accountId: key.accountId, action: 'updateKey', resources: [id] }, () => store.grant(key.accountId, id, scopes));
        if (options.json) json(keyJson(granted));
        else print(`${id} has the scopes ${granted.scopes.join(', ')}`);
      }),
    );

  command('revoke', 'revoke a key at once')
    .argument('<key>')
    .option('--allow-lockout', 'also revoke the last key that can give one of its scopes to new keys')
    .action((id: string, options: ServerOptions & { allowLockout?: true }) =>
      onAccounts(tools, options, async ({ audit, keys: store, tokens, uses }) => {
        const key = await store.get(id);
        if (!key) throw notFound(`The key ${id}`);
        await audit.record({ accountId: key.accountId, action: 'deleteKey', resources: [id] }, () => store.revoke(key.accountId, id, { allowLockout: options.allowLockout }));
        await tokens.removeOfKey(key.accountId, id);
        await uses.forget(id);
        if (options.json) json({ revoked: id });
        else print(`revoked ${id}`);
      }),
    );

  command('rotate', 'create a new key like this one; this key expires after the overlap')
    .argument('<key>')
    .option('--overlap <seconds>', 'seconds in which both keys work', seconds, 0)
    .action((id: string, options: ServerOptions & { overlap: number }) =>
      onAccounts(tools, options, async ({ audit, keys: store }) => {
        const key = await store.get(id);
        if (!key) throw notFound(`The key ${id}`);
        show(options, await audit.record({ accountId: key.accountId, action: 'rotateKey', resources: [id] }, () => store.rotate(key.accountId, id, options.overlap), createdId));
      }),
    );
  return keys;
}

const namesOf = (text: string): string[] => text.split(',').map((scope) => scope.trim());

const createdId = ({ key }: IssuedKey): string[] => [key.id];

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

const MONTH_SECONDS = 30 * 24 * 60 * 60;

function seconds(text: string): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) > MONTH_SECONDS) throw new InvalidArgumentError(`It must be a number from 0 to ${MONTH_SECONDS}.`);
  return Number(text);
}
