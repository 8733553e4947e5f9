import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { DocumentCollection } from '@parlance/storage';
import { LRUCache } from 'lru-cache';
import { removeUnchanged } from '../expired-documents.js';
import type { ApiKey } from '../keys/api-key.js';
import { ApiKeys } from '../keys/api-keys.js';
import { nextMonth, type KeyBudget } from '../keys/key-budget.js';
import { extended, heldSince, isAsHeld, Quota, sumOfHolds, type JobRun, type LiveTime } from './quota.js';
import { UsageLedger } from './usage-ledger.js';
import type { Hold } from './usage-sums.js';

export interface KeyUsage {
  monthlySeconds: number;
  usedSeconds: number;
}

/** Milliseconds for which a changed budget may not be known to another process. */
const BUDGET_MS = 4000;
/** Milliseconds between two looks at the jobs that hold time of a key, for those that have ended. */
const POLL_INTERVAL_MS = 2000;

/**
 * The seconds that the jobs of a key may use in a calendar month (UTC), by the ledger. As with the quota of the account, a job reserves the
 * length of its media before it is transcribed, and is admitted while any second is left that no other job holds.
 */
@Injectable()
export class KeyBudgets {
  private readonly collection: DocumentCollection<KeyBudget>;
  /** The ids of budgets, by key; null for a key without one. */
  private readonly idsByKey: LRUCache<string, Promise<string | null>>;
  private readonly looks: LRUCache<string, Promise<boolean>>;

  constructor(
    @Inject(ApiKeys) private readonly keys: Pick<ApiKeys, 'get' | 'budgets'>,
    @Inject(UsageLedger) private readonly ledger: Pick<UsageLedger, 'days'>,
    @Inject(Quota) private readonly quota: Pick<Quota, 'endedRun'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = keys.budgets.collection;
    const perf = { ttlResolution: 0, perf: { now: () => clock.now().getTime() } };
    this.idsByKey = new LRUCache({ max: 10_000, ttl: BUDGET_MS, ...perf });
    this.looks = new LRUCache({ max: 10_000, ttl: POLL_INTERVAL_MS, ...perf });
  }

  /** For new jobs. @throws AppError payment_required/key_budget_exhausted */
  async require(accountId: string, keyId: string): Promise<void> {
    const id = await this.idOf(accountId, keyId);
    if (id === null || (await this.hasTime(id))) return;
    if ((await this.releaseEnded(id)) && (await this.hasTime(id))) return;
    throw await this.exhausted(id);
  }

  /** Reserves the media of a job; again with another length corrects it. @returns whether it may be transcribed. */
  async reserve(accountId: string, keyId: string, job: JobRun, milliseconds: number): Promise<boolean> {
    const id = await this.idOf(accountId, keyId);
    if (id === null) return true;
    const hold = () => this.hold(id, job, milliseconds);
    return (await hold()) || ((await this.releaseEnded(id)) && (await hold()));
  }

  /** As {@link Quota.extend}. @throws AppError payment_required/key_budget_exhausted */
  async extend(accountId: string, keyId: string, jobId: string, { neededMs, wantedMs }: LiveTime): Promise<number> {
    const id = await this.idOf(accountId, keyId);
    if (id === null) return wantedMs;
    let held = await this.holdLive(id, jobId, wantedMs);
    if (held < neededMs && (await this.releaseEnded(id))) held = await this.holdLive(id, jobId, wantedMs);
    if (held < neededMs) throw await this.exhausted(id);
    return held;
  }

  /** The run has ended, and those before it; what it was billed is in the ledger. */
  async release(accountId: string, { jobId, run }: JobRun): Promise<void> {
    const isOfIt = (hold: Hold | undefined) => hold !== undefined && (hold.run ?? 0) <= run;
    for await (const { document } of this.collection.all({ where: { accountId, hasHolds: true } })) {
      if (!isOfIt(document.holds[jobId])) continue;
      await this.collection.update(document.id, (current) => {
        if (!current || !isOfIt(current.holds[jobId])) return undefined;
        const { [jobId]: _released, ...holds } = current.holds;
        return { document: withHolds(current, holds) };
      });
    }
  }

  /** Removes the budgets of earlier months none of whose keys is left. */
  async sweep(): Promise<void> {
    const due = { range: { field: 'sweepAfter', lt: this.now() }, orderBy: 'sweepAfter', direction: 'ascending' } as const;
    for await (const stored of this.collection.all(due)) {
      const keys = await Promise.all(stored.document.keyIds.map((id) => this.keys.get(id)));
      if (keys.every((key) => key === undefined)) await removeUnchanged(this.collection, stored);
      else await this.collection.replaceIf({ ...stored.document, sweepAfter: nextMonth(this.clock.now()) }, stored.version);
    }
  }

  /** Milliseconds that each key of the account has used in this month, by its id. */
  private async usedByKey(accountId: string): Promise<ReadonlyMap<string, number>> {
    const used = new Map<string, number>();
    const gte = `${this.now().slice(0, 7)}-01T00:00:00.000Z`;
    for await (const { document } of this.ledger.days.all({ where: { accountId }, range: { field: 'createdAt', gte } })) {
      for (const [keyId, { milliseconds }] of Object.entries(document.byKey)) used.set(keyId, (used.get(keyId) ?? 0) + milliseconds);
    }
    return used;
  }

  /** The budget of each of these keys, and the seconds used in this month; undefined for a key without a budget. */
  async of(keys: readonly ApiKey[]): Promise<(KeyUsage | undefined)[]> {
    const budgets = await Promise.all(keys.map((key) => this.keys.budgets.of(key)));
    const accountId = budgets.find((budget) => budget?.monthlySeconds !== undefined)?.accountId;
    const used = accountId === undefined ? new Map<string, number>() : await this.usedByKey(accountId);
    return budgets.map((budget) => (budget?.monthlySeconds === undefined ? undefined : { monthlySeconds: budget.monthlySeconds, usedSeconds: sumOf(budget, used) / 1000 }));
  }

  /** After this process changed the budget of a key. */
  forget(): void {
    this.idsByKey.clear();
  }

  private idOf(accountId: string, keyId: string): Promise<string | null> {
    const known = this.idsByKey.get(keyId);
    if (known) return known;
    const found = this.findId(accountId, keyId);
    this.idsByKey.set(keyId, found);
    found.catch(() => this.idsByKey.delete(keyId));
    return found;
  }

  private async findId(accountId: string, keyId: string): Promise<string | null> {
    const key = await this.keys.get(keyId);
    const budget = await (key ? this.keys.budgets.of(key) : this.keys.budgets.ofRemoved(accountId, keyId));
    return budget?.id ?? null;
  }

  private async get(id: string): Promise<KeyBudget | undefined> {
    return (await this.collection.get(id))?.document;
  }

  /**
   * Usage is in the ledger before its reservation is released. So the reservations are read first, and the decision holds
   * only if they are still the same.
   */
  private async hold(id: string, { jobId, run }: JobRun, milliseconds: number): Promise<boolean> {
    for (;;) {
      const stored = await this.collection.get(id);
      if (stored?.document.monthlySeconds === undefined) return true;
      const held = this.heldNow(stored.document);
      const own = held[jobId];
      if (own && isAsHeld(own, run, milliseconds)) return true;
      if (!own && !(await this.hasTimeLeft(stored.document))) {
        if ((await this.collection.get(id))?.version === stored.version) return false;
        continue;
      }
      if (await this.collection.replaceIf(withHolds(stored.document, { ...held, [jobId]: { milliseconds, heldAt: this.now(), run } }), stored.version)) return true;
    }
  }

  private async holdLive(id: string, jobId: string, wantedMs: number): Promise<number> {
    for (;;) {
      const stored = await this.collection.get(id);
      if (stored?.document.monthlySeconds === undefined) return wantedMs;
      const { document, version } = stored;
      const held = this.heldNow(document);
      const granted = extended(held, jobId, wantedMs, await this.unusedMs(document));
      const isAsBefore = granted <= (held[jobId]?.milliseconds ?? 0);
      const isDecided = isAsBefore ? (await this.collection.get(id))?.version === version : await this.collection.replaceIf(withHolds(document, { ...held, [jobId]: { milliseconds: granted, heldAt: this.now(), run: 0 } }), version);
      if (isDecided) return granted;
    }
  }

  private async hasTime(id: string): Promise<boolean> {
    const budget = await this.get(id);
    return !budget || this.hasTimeLeft(budget);
  }

  private async hasTimeLeft(budget: KeyBudget): Promise<boolean> {
    return budget.monthlySeconds === undefined || (await this.unusedMs(budget)) > sumOfHolds(this.heldNow(budget));
  }

  /** Milliseconds of the month that the ledger does not have, held ones included. */
  private async unusedMs(budget: KeyBudget): Promise<number> {
    return (budget.monthlySeconds ?? 0) * 1000 - sumOf(budget, await this.usedByKey(budget.accountId));
  }

  private async exhausted(id: string): Promise<AppError> {
    const { monthlySeconds = 0 } = (await this.get(id)) ?? {};
    return new AppError({ kind: 'payment_required', code: 'key_budget_exhausted', message: `The key has used its ${monthlySeconds} seconds of this month.`, retryable: false });
  }

  private releaseEnded(id: string): Promise<boolean> {
    const running = this.looks.get(id);
    if (running) return running;
    const look = this.lookForEnds(id);
    this.looks.set(id, look);
    look.catch(() => this.looks.delete(id));
    return look;
  }

  private async lookForEnds(id: string): Promise<boolean> {
    const budget = await this.get(id);
    if (!budget) return false;
    const { accountId, holds } = budget;
    const ended = (await Promise.all(Object.keys(holds).map((jobId) => this.quota.endedRun(accountId, jobId)))).filter((run) => run !== undefined);
    for (const run of ended) await this.release(accountId, run);
    return ended.length > 0;
  }

  private heldNow({ holds }: KeyBudget): Record<string, Hold> {
    const since = heldSince(this.clock.now());
    return Object.fromEntries(Object.entries(holds).filter(([, { heldAt }]) => heldAt > since));
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

const withHolds = (budget: KeyBudget, holds: Record<string, Hold>): KeyBudget => ({ ...budget, holds, hasHolds: Object.keys(holds).length > 0 });

const sumOf = ({ keyIds }: KeyBudget, used: ReadonlyMap<string, number>): number => keyIds.reduce((sum, keyId) => sum + (used.get(keyId) ?? 0), 0);
