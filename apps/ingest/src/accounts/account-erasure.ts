import type { CollectionDefinition, Document } from '@parlance/storage';

export interface AccountErasureItem {
  what: string;
  /** The service that held it. */
  where: string;
  count: number;
}

/** The collections that stay after the erasure of an account, as evidence: ids, times and numbers. */
export const KEPT = ['audit_records', 'usage_entries', 'erasures'] as const;

/** The receipt of the erasure of an account, which outlives the account. `createdAt` is when the deletion was requested. */
export interface AccountErasure extends Document {
  accountId: string;
  items: AccountErasureItem[];
  completedAt?: string;
}

/** The facts that are needed to erase an account again after a restore. They name no content. */
export interface ErasedAccount {
  accountErasureId: string;
  accountId: string;
  /** RFC 3339 UTC. */
  erasedAt: string;
}

export const accountErasureCollection: CollectionDefinition<AccountErasure> = {
  name: 'account_erasures',
  data: { what: 'receipts of the erasures of accounts: ids, time, numbers of removed objects', purpose: 'to prove erasures', kept: 'no end' },
  indexes: [{ fields: [] }],
};

/** The sum of the counts of each kind, in the order in which they first come. */
export function summed(items: Iterable<AccountErasureItem>): AccountErasureItem[] {
  const sums = new Map<string, AccountErasureItem>();
  for (const { what, where, count } of items) {
    const key = `${what} ${where}`;
    sums.set(key, { what, where, count: count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}
