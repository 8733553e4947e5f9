import { randomBytes } from 'node:crypto';
import type { Clock, IdGenerator } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { accountExportCollection, exportRunning, replacing, newExport } from './account-exports/account-export.js';
import { Accounts } from './accounts/accounts.js';
import { OperatorAudit } from './audit/operator-audit.js';
import { AccessTokens } from './keys/access-tokens.js';
import { ApiKeys } from './keys/api-keys.js';
import { KeyUses } from './keys/key-uses.js';
import type { Plans } from './plans/index.js';

export { Accounts } from './accounts/accounts.js';
export { deletionConfig } from './accounts/deletion-config.js';
export { newDeletion } from './accounts/account-deletion.js';
export type { Account } from './accounts/account.js';
export type { ApiKey } from './keys/api-key.js';
export type { IssuedKey } from './keys/api-keys.js';
export { auditRecordJson } from './audit/audit-chain.js';
export { AuditReader } from './audit/audit-reader.js';
export { verifyAudit, type AuditReport } from './audit/verify-audit.js';
export { SCOPES, type Scope } from './keys/scope.js';

/** The operators' commands for accounts and keys; the running servers apply changes within five seconds. */
export interface AccountTools {
  accounts: Accounts;
  keys: ApiKeys;
  uses: KeyUses;
  tokens: AccessTokens;
  audit: OperatorAudit;
  /** Orders an export of the account, in place of one that has ended. @returns its id. @throws AppError invalid_state while one is made */
  orderExport: (accountId: string, hasMedia: boolean) => Promise<string>;
}

/** @param documents the gateway's */
export function accountTools(documents: DocumentDatabase, plans: Plans, clock: Clock, ids: IdGenerator): AccountTools {
  const random = (length: number) => randomBytes(length);
  const keys = new ApiKeys(documents, clock, ids, random);
  return { keys, tokens: new AccessTokens(documents, clock, ids, random), accounts: new Accounts(documents, keys, plans, clock, ids), uses: new KeyUses(documents, clock), audit: new OperatorAudit(documents, clock, ids), orderExport: (accountId, hasMedia) => orderExport(documents, accountId, hasMedia, clock, ids) };
}

async function orderExport(documents: DocumentDatabase, accountId: string, hasMedia: boolean, clock: Clock, ids: IdGenerator): Promise<string> {
  const order = newExport(accountId, ids.next('exp'), hasMedia, clock.now());
  const { changed } = await documents.collection(accountExportCollection).update(accountId, (before) => {
    if (before?.status === 'processing') return undefined;
    return { document: before ? replacing(before, order) : order };
  });
  if (!changed) throw exportRunning();
  return order.exportId;
}
