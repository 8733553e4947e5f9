import { readFileSync } from 'node:fs';
import type { AccountTools, ApiKey } from '@parlance/gateway/operators';
import { readConfig, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import type { SeenKey } from './account-views.js';
import type { AdminTools } from './admin-tools.js';
import type { ServerOptions } from './options.js';

const PAGE = 100;

/** Does the work on the accounts that the gateway has. */
export async function onAccounts({ env, say, withDocuments }: AdminTools, { timeout }: ServerOptions, work: (tools: AccountTools) => Promise<void>): Promise<void> {
  // Only the commands that need it wait for it to load.
  const { accountTools } = await import('@parlance/gateway/operators');
  const { Plans, plansConfig } = await import('@parlance/gateway/plans');
  const plans = Plans.from(readConfig(plansConfig, { env, readFile: (path) => readFileSync(path, 'utf8') }), silentLogger());
  const wait = { timeout, onWait: (reason: string) => say(`Waiting for MongoDB: ${reason}`) };
  await withDocuments('gateway', wait, (documents) => work(accountTools(documents, plans, systemClock, ulidGenerator())));
}

/** All of an account's, with their last uses. */
export async function keysOf({ keys, uses }: AccountTools, accountId: string): Promise<SeenKey[]> {
  const found: ApiKey[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await keys.list(accountId, { limit: PAGE, cursor });
    found.push(...page.items.map(({ document }) => document));
    cursor = page.nextCursor;
  }
  return Promise.all(found.map(async (key) => ({ ...key, lastUsedAt: await uses.lastUse(key.id) })));
}
