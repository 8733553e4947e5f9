import type { Account, ApiKey } from '@parlance/gateway/operators';
import { table } from './table.js';

export interface SeenKey extends ApiKey {
  lastUsedAt?: string | undefined;
}

/** For scripts: as the API has it, and what is the operator's. */
export const accountJson = ({ id, createdAt, email, emailVerified, organization, plan, retention, disabledAt, disabledReason, deletion }: Account): Record<string, unknown> => ({
  account_id: id,
  email,
  email_verified: emailVerified ?? false,
  organization,
  plan,
  retention_default_hours: retention?.defaultHours,
  retention_max_hours: retention?.maxHours,
  media_retention_hours: retention?.mediaHours,
  created_at: createdAt,
  disabled_at: disabledAt,
  disabled_reason: disabledReason,
  deletion_due_at: deletion?.dueAt,
  erasure_id: deletion?.erasureId,
});

export function accountTable(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'No accounts.';
  const rows = accounts.map(({ id, createdAt, email = '', organization = '', plan, disabledAt, deletion }) => [id, createdAt, plan, stateOf({ disabledAt, deletion }), email, organization]);
  return table(['ID', 'CREATED AT', 'PLAN', 'STATE', 'E-MAIL', 'ORGANIZATION'], rows);
}

const stateOf = ({ disabledAt, deletion }: Pick<Account, 'disabledAt' | 'deletion'>): string => {
  if (deletion) return 'to be deleted';
  return disabledAt === undefined ? 'enabled' : 'disabled';
};

export function accountDetails(account: Account, keys: readonly SeenKey[]): string {
  const lines = Object.entries(accountJson(account)).filter(([, value]) => value !== undefined);
  return [...lines.map(([name, value]) => `${`${name.replace('_', ' ')}:`.padEnd(17)}${String(value)}`), '', keyTable(keys)].join('\n');
}

export const keyJson = ({ id, accountId, name, scopes, createdAt, expiresAt, lastUsedAt, adopted }: SeenKey): Record<string, unknown> => ({
  key_id: id,
  account_id: accountId,
  name,
  scopes,
  created_at: createdAt,
  expires_at: expiresAt,
  last_used_at: lastUsedAt,
  bootstrap: adopted,
});

export function keyTable(keys: readonly SeenKey[]): string {
  if (keys.length === 0) return 'No keys.';
  const rows = keys.map(({ id, createdAt, expiresAt = 'never', lastUsedAt = 'never', scopes, name }) => [id, createdAt, expiresAt, lastUsedAt, scopes.join(','), name]);
  return table(['ID', 'CREATED AT', 'EXPIRES AT', 'LAST USED AT', 'SCOPES', 'NAME'], rows);
}
