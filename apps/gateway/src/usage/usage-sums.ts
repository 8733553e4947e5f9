import type { CollectionDefinition, Document } from '@parlance/storage';
import type { UsageEntry } from './usage-entry.js';

export interface Amount {
  milliseconds: number;
  /** Entries. */
  requests: number;
}

/** Sums that entries are added to, each once. */
export interface UsageSum extends Document, Amount {
  /** Ids of entries that are in the sums and perhaps not yet marked as counted. */
  taken: string[];
}

/** The usage of an account on one day. */
export interface UsageDay extends UsageSum {
  accountId: string;
  byKey: Record<string, Amount>;
  byOperation: Record<string, Amount>;
  /** Absent in days of versions before. */
  byProject?: Record<string, Amount>;
}

/** The total usage of an account, and the seconds that running jobs have reserved. */
export interface UsageBalance extends UsageSum {
  /** By job. */
  holds: Record<string, Hold>;
}

export interface Hold {
  milliseconds: number;
  /** The run of the job. */
  run?: number;
  heldAt: string;
}

/** `createdAt` is the beginning of the day. */
export const usageDayCollection: CollectionDefinition<UsageDay> = {
  name: 'usage_days',
  data: { what: 'seconds of audio a day', purpose: 'billing', kept: 'no end' },
  indexes: [{ fields: ['accountId'] }],
};
export const usageBalanceCollection: CollectionDefinition<UsageBalance> = {
  name: 'usage_balances',
  data: { what: 'free minutes that were used', purpose: 'billing', kept: 'no end' },
  indexes: [{ fields: [] }],
};

export const dayIdOf = ({ accountId, day }: Pick<UsageEntry, 'accountId' | 'day'>): string => `${accountId}/${day}`;
/** The key or project of usage without one. */
const NONE = 'none';

const NOTHING: Amount = { milliseconds: 0, requests: 0 };

export const plus = ({ milliseconds, requests }: Amount = NOTHING, more: Amount): Amount => ({ milliseconds: milliseconds + more.milliseconds, requests: requests + more.requests });

export function addToDay(day: UsageDay | undefined, entry: UsageEntry): UsageDay {
  const { accountId, keyId = NONE, projectId = NONE, operation, milliseconds } = entry;
  const amount = { milliseconds, requests: 1 };
  return {
    id: dayIdOf(entry),
    createdAt: startOfDay(entry.day),
    accountId,
    ...plus(day, amount),
    byKey: { ...day?.byKey, [keyId]: plus(day?.byKey[keyId], amount) },
    byOperation: { ...day?.byOperation, [operation]: plus(day?.byOperation[operation], amount) },
    byProject: { ...projectsOf(day), [projectId]: plus(projectsOf(day)[projectId], amount) },
    taken: [...(day?.taken ?? []), entry.id],
  };
}

/** All usage before there were projects is without one. */
export const projectsOf = (day: UsageDay | undefined): Record<string, Amount> => day?.byProject ?? (day ? { [NONE]: { milliseconds: day.milliseconds, requests: day.requests } } : {});

/** Turns the job's reservation into usage. */
export function addToBalance(balance: UsageBalance | undefined, { id, createdAt, accountId, jobId, milliseconds }: UsageEntry): UsageBalance {
  const { [jobId]: _used, ...holds } = balance?.holds ?? {};
  return { id: accountId, createdAt: balance?.createdAt ?? createdAt, ...plus(balance, { milliseconds, requests: 1 }), holds, taken: [...(balance?.taken ?? []), id] };
}

export const startOfDay = (day: string): string => `${day}T00:00:00.000Z`;
