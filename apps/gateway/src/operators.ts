import { randomBytes } from 'node:crypto';
import type { Clock, IdGenerator } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { Accounts } from './accounts/accounts.js';
import { ApiKeys } from './keys/api-keys.js';
import { KeyUses } from './keys/key-uses.js';
import type { Plans } from './plans/index.js';

export type { Account } from './accounts/account.js';
export type { ApiKey } from './keys/api-key.js';
export type { IssuedKey } from './keys/api-keys.js';
export { SCOPES, type Scope } from './keys/scope.js';

/** The operators' commands for accounts and keys; the running servers apply changes within five seconds. */
export interface AccountTools {
  accounts: Accounts;
  keys: ApiKeys;
  uses: KeyUses;
}

/** @param documents the gateway's */
export function accountTools(documents: DocumentDatabase, plans: Plans, clock: Clock, ids: IdGenerator): AccountTools {
  const keys = new ApiKeys(documents, clock, ids, (length) => randomBytes(length));
  return { keys, accounts: new Accounts(documents, keys, plans, clock, ids), uses: new KeyUses(documents, clock) };
}
