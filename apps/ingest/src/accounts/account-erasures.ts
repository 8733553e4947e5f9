import { Inject, Injectable } from '@nestjs/common';
import { notFound, type Clock } from '@parlance/platform';
import { CLOCK, CONFIG, DATA_KEYS, DOCUMENTS } from '@parlance/runtime';
import type { DataKeys, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { IngestConfig } from '../ingest.config.js';
import { Admission } from '../jobs/admission/admission.js';
import { appendErasure } from '../jobs/erasure/erasure-lines.js';
import { ErasureStore } from '../jobs/erasure/erasure-store.js';
import { JobRequests } from '../jobs/job-requests.js';
import { JobStore } from '../jobs/state/job-store.js';
import { accountErasureCollection, summed, type AccountErasure, type AccountErasureItem, type ErasedAccount } from './account-erasure.js';
import { AccountHolds } from './account-holds.js';
import { isHolding, underLegalHold } from './legal-hold.js';

/** Jobs that one call erases at most: the caller calls again. */
const JOBS_AT_ONCE = 500;

/** The erasure of accounts: of their jobs, by the erasure of each, then of the account's key. Every step may be repeated. */
@Injectable()
export class AccountErasures {
  private readonly receipts: DocumentCollection<AccountErasure>;

  constructor(
    @Inject(DOCUMENTS) private readonly documents: DocumentDatabase,
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(JobRequests) private readonly requests: Pick<JobRequests, 'erase'>,
    @Inject(ErasureStore) private readonly erasures: Pick<ErasureStore, 'countOpen' | 'allOf'>,
    @Inject(Admission) private readonly admission: Pick<Admission, 'close' | 'countRecent'>,
    @Inject(AccountHolds) private readonly holds: Pick<AccountHolds, 'requireNone'>,
    @Inject(DATA_KEYS) private readonly keys: Pick<DataKeys, 'destroy'> | null,
    @Inject(CONFIG) private readonly config: Pick<IngestConfig, 'ERASURE_LOG'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.receipts = documents.collection(accountErasureCollection);
  }

  /** @throws AppError legal_hold while the account, or one of its jobs, is held */
  async requireNoHold(accountId: string): Promise<void> {
    await this.holds.requireNone(accountId);
    const now = this.clock.now().toISOString();
    for await (const { hold } of this.jobs.all({ where: { accountId, held: 'yes' } })) if (isHolding(hold, now)) throw underLegalHold('A job of the account');
  }

  /** Opens the receipt, or returns it as it is: what was counted first is what was there. */
  async begin(id: string, accountId: string, requestedAt: string, items: readonly AccountErasureItem[]): Promise<AccountErasure> {
    const { stored } = await this.receipts.update(id, (current) => (current ? undefined : { document: { id, createdAt: requestedAt, accountId, items: [...items] } }));
    if (stored?.document.accountId !== accountId) throw notFound('The erasure');
    return stored.document;
  }

  /**
   * Erases some of the account's jobs, and looks which erasures have not ended.
   * @returns the number of jobs and erasures that are left. @throws AppError legal_hold
   */
  async eraseJobs(accountId: string): Promise<number> {
    await this.holds.requireNone(accountId);
    await this.admission.close(accountId);
    let erased = 0;
    for await (const job of this.jobs.all({ where: { accountId }, direction: 'ascending' })) {
      await this.requests.erase(job);
      if (++erased === JOBS_AT_ONCE) break;
    }
    // A restored backup brings jobs back whose keys were destroyed: no read finds them.
    if (erased === 0) await this.jobs.removeUnreadable(accountId);
    const jobs = await this.jobs.countOf(accountId);
    return jobs + (await this.erasures.countOpen(accountId)) + (await this.admission.countRecent(accountId));
  }

  /** The last step, after all services have erased what they held. @throws AppError not_found; service_unavailable while the erasure log is away */
  async complete(id: string): Promise<AccountErasure> {
    const { accountId, items, completedAt } = await this.get(id);
    if (completedAt !== undefined) return this.get(id);
    const erasedAt = this.clock.now().toISOString();
    await this.documents.ofAccounts.remove(accountId);
    await this.keys?.destroy(accountId, '');
    // Before the receipt: an erasure that is completed can be replayed after a restore.
    if (this.config.ERASURE_LOG !== undefined) await appendErasure(this.config.ERASURE_LOG, { accountErasureId: id, accountId, erasedAt });
    const all = summed([...items, ...(await this.itemsOfJobs(accountId)), ...(this.keys ? [{ what: 'account_key', where: 'ingest', count: 1 }] : [])]);
    await this.receipts.update(id, (current) => (current && current.completedAt === undefined ? { document: { ...current, items: all, completedAt: erasedAt } } : undefined));
    return this.get(id);
  }

  /** Marks the account as erased after a restore, without waiting for the erasures of its jobs, which have lines of their own in the log. */
  async eraseAgain({ accountErasureId: id, accountId, erasedAt }: ErasedAccount): Promise<void> {
    await this.begin(id, accountId, erasedAt, []);
    await this.documents.ofAccounts.remove(accountId);
    await this.eraseJobs(accountId);
    await this.complete(id);
  }

  /** @throws AppError not_found */
  async get(id: string): Promise<AccountErasure> {
    const erasure = (await this.receipts.get(id))?.document;
    if (!erasure) throw notFound('The erasure');
    return erasure;
  }

  /** Sums what the receipts of the account's jobs name, those of jobs that were deleted before included. */
  private async itemsOfJobs(accountId: string): Promise<AccountErasureItem[]> {
    let sums: AccountErasureItem[] = [];
    for await (const { items } of this.erasures.allOf(accountId)) sums = summed([...sums, { what: 'jobs', where: 'ingest', count: 1 }, ...items]);
    return sums;
  }
}
