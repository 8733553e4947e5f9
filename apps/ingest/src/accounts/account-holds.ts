import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { ownerOfAccountDocument, type CollectionDefinition, type Document, type DocumentCollection, type DocumentDatabase } from '@parlance/storage';
import { isHolding, requireChangeable, underLegalHold, type LegalHold } from './legal-hold.js';

/** The legal hold of an account; the id is the account's. */
export interface AccountHold extends Document, LegalHold {
  reason: string;
}

const accountHolds: CollectionDefinition<AccountHold> = {
  name: 'account_holds',
  data: { what: 'legal holds on accounts: reason, end', purpose: 'to keep evidence', kept: 'until the hold is lifted' },
  account: 'id',
  indexes: [],
  sealed: { fields: ['reason'], owner: ownerOfAccountDocument },
};

/** Legal holds on accounts. Those on jobs are in the jobs. */
@Injectable()
export class AccountHolds {
  private readonly collection: DocumentCollection<AccountHold>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection(accountHolds);
  }

  /** The hold while it holds. */
  async of(accountId: string): Promise<AccountHold | undefined> {
    const hold = (await this.collection.get(accountId))?.document;
    return isHolding(hold, this.now()) ? hold : undefined;
  }

  /** @throws AppError legal_hold while the account is held */
  async requireNone(accountId: string): Promise<void> {
    if (await this.of(accountId)) throw underLegalHold('The account');
  }

  /** Takes the place of the one before. @throws AppError legal_hold when that is an operator's, and this is not */
  async set(accountId: string, hold: { reason: string; until?: string; byOperator?: true }): Promise<void> {
    await this.collection.update(accountId, (current) => {
      const now = this.now();
      requireChangeable(current, hold.byOperator === true, now);
      return { document: { id: accountId, createdAt: now, since: now, ...hold } };
    });
  }

  /** Nothing to lift is no error. @throws AppError legal_hold when it is an operator's, and the caller is none */
  async lift(accountId: string, byOperator: boolean): Promise<void> {
    const stored = await this.collection.get(accountId);
    if (!stored) return;
    requireChangeable(stored.document, byOperator, this.now());
    await this.collection.remove(accountId, stored.version);
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
