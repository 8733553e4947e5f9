import type { Clock } from '@parlance/platform';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { Hold } from '../usage/usage-sums.js';
import { firstOfRotations, type CountedKey } from './key-room.js';

/** The budget of a key and its rotations, under the id of the first of them. It outlives them until the month is over, for their jobs and for what was used. */
export interface KeyBudget extends Document {
  accountId: string;
  /** The ids of the keys that share the budget. None is taken out when its key is removed, because what it used still counts. */
  keyIds: readonly string[];
  /** The seconds of audio that jobs of the keys may use in a calendar month; absent after the budget was removed. */
  monthlySeconds?: number;
  /** The time that running jobs have reserved, by job. */
  holds: Record<string, Hold>;
  hasHolds: boolean;
  /** The start of the month in which the budget is removed if none of its keys is left. */
  sweepAfter: string;
}

const keyBudgetCollection: CollectionDefinition<KeyBudget> = {
  name: 'key_budgets',
  data: { what: 'minutes that a key has used', purpose: 'budgets of keys', kept: 'with the account' },
  account: 'accountId',
  indexes: [{ fields: ['accountId'] }, { fields: ['accountId', 'hasHolds'] }, { fields: [], orderBy: 'sweepAfter' }],
};

type BudgetKey = CountedKey & { accountId: string };

/** The stored budgets of keys. */
export class KeyBudgetRecords {
  readonly collection: DocumentCollection<KeyBudget>;

  constructor(
    documents: Pick<DocumentDatabase, 'collection'>,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection(keyBudgetCollection);
  }

  async of(key: CountedKey): Promise<KeyBudget | undefined> {
    return (await this.collection.get(firstOfRotations(key)))?.document;
  }

  /** The budget that a key shares which may have been removed. */
  async ofRemoved(accountId: string, keyId: string): Promise<KeyBudget | undefined> {
    for await (const { document } of this.collection.all({ where: { accountId } })) if (document.keyIds.includes(keyId)) return document;
    return undefined;
  }

  /** @param monthlySeconds undefined: no budget */
  async set(key: BudgetKey, monthlySeconds: number | undefined): Promise<void> {
    await this.collection.update(firstOfRotations(key), (stored) => {
      if (!stored && monthlySeconds === undefined) return undefined;
      const { monthlySeconds: _before, ...budget } = withKeys(stored ?? this.empty(key), [key.id]);
      return { document: { ...budget, ...(monthlySeconds !== undefined && { monthlySeconds }) } };
    });
  }

  /** Lets further rotations of a key share its budget, if it has one. */
  async share(key: CountedKey, keyIds: readonly string[]): Promise<void> {
    await this.collection.update(firstOfRotations(key), (budget) => (budget && keyIds.some((id) => !budget.keyIds.includes(id)) ? { document: withKeys(budget, keyIds) } : undefined));
  }

  private empty(key: BudgetKey): KeyBudget {
    const now = this.clock.now();
    return { id: firstOfRotations(key), createdAt: now.toISOString(), accountId: key.accountId, keyIds: [], holds: {}, hasHolds: false, sweepAfter: nextMonth(now) };
  }
}

const withKeys = (budget: KeyBudget, keyIds: readonly string[]): KeyBudget => ({ ...budget, keyIds: [...new Set([...budget.keyIds, ...keyIds])] });

/** The start of the calendar month after this time (UTC). */
export const nextMonth = (now: Date): string => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
