import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { LRUCache } from 'lru-cache';
import { ApiKeys, type ApiKey } from '../keys/api-keys.js';
import { firstOfRotations } from '../keys/key-room.js';
import { heldSince, isAsHeld, Quota, type JobRun } from './quota.js';
import { UsageLedger } from './usage-ledger.js';
import type { Hold } from './usage-sums.js';

/** The seconds that running jobs of a key have reserved, by job. A key and its rotations are one: the id is that of the first. */
interface KeyHolds extends Document {
  accountId: string;
  holds: Record<string, Hold>;
}

const keyHoldsCollection: CollectionDefinition<KeyHolds> = { name: 'key_holds', indexes: [{ fields: ['accountId'] }] };

interface Budget {
  accountId: string;
  firstKeyId: string;
  /** The key and its rotations. */
  keyIds: readonly string[];
  milliseconds: number;
}

/** Milliseconds for which a changed budget may not be known to another process. */
const BUDGET_MS = 4000;
/** Milliseconds in which it is not looked twice whether jobs of a key hold what they will not use. */
const POLL_INTERVAL_MS = 2000;

/**
 * The seconds that the jobs of a key may use in a calendar month (UTC), by the ledger. As with the quota of the account, a job reserves the
 * length of its media before it is transcribed, and is admitted while any second is left that no other job holds.
 */
@Injectable()
export class KeyBudgets {
  private readonly holds: DocumentCollection<KeyHolds>;
  private readonly budgets: LRUCache<string, Promise<Budget | undefined>>;
  private readonly looks: LRUCache<string, Promise<boolean>>;

  constructor(
    @Inject(ApiKeys) private readonly keys: Pick<ApiKeys, 'get' | 'rotationsOf'>,
    @Inject(UsageLedger) private readonly ledger: Pick<UsageLedger, 'days'>,
    @Inject(Quota) private readonly quota: Pick<Quota, 'endedRun'>,
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.holds = documents.collection(keyHoldsCollection);
    const perf = { ttlResolution: 0, perf: { now: () => clock.now().getTime() } };
    this.budgets = new LRUCache({ max: 10_000, ttl: BUDGET_MS, ...perf });
    this.looks = new LRUCache({ max: 10_000, ttl: POLL_INTERVAL_MS, ...perf });
  }

  /** For new jobs. @throws AppError payment_required/key_budget_exhausted */
  async require(keyId: string): Promise<void> {
    const budget = await this.budgetOf(keyId);
    if (!budget || (await this.hasTime(budget))) return;
    if ((await this.releaseEnded(budget)) && (await this.hasTime(budget))) return;
    throw new AppError({ kind: 'payment_required', code: 'key_budget_exhausted', message: `The key has used its ${budget.milliseconds / 1000} seconds of this month.`, retryable: false });
  }

  /** Reserves the media of a job; again with another length corrects it. @returns whether it may be transcribed. */
  async reserve(keyId: string, job: JobRun, milliseconds: number): Promise<boolean> {
    const budget = await this.budgetOf(keyId);
    if (!budget) return true;
    const hold = () => this.hold(budget, job, milliseconds);
    return (await hold()) || ((await this.releaseEnded(budget)) && (await hold()));
  }

  /** The run has ended, and those before it; what it was billed is in the ledger. */
  async release(accountId: string, { jobId, run }: JobRun): Promise<void> {
    const isOfIt = (hold: Hold | undefined) => hold !== undefined && (hold.run ?? 0) <= run;
    for await (const { document } of this.holds.all({ where: { accountId } })) {
      if (!isOfIt(document.holds[jobId])) continue;
      await this.holds.update(document.id, (current) => {
        if (!current || !isOfIt(current.holds[jobId])) return undefined;
        const { [jobId]: _released, ...holds } = current.holds;
        return { document: { ...current, holds } };
      });
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

  /** Seconds that each of these keys has used in this month; undefined for one without a budget. */
  async usedSeconds(keys: readonly ApiKey[]): Promise<(number | undefined)[]> {
    const budgets = await Promise.all(keys.map((key) => this.toBudget(key)));
    const accountId = budgets.find((budget) => budget !== undefined)?.accountId;
    const used = accountId === undefined ? new Map<string, number>() : await this.usedByKey(accountId);
    return budgets.map((budget) => budget && sumOf(budget, used) / 1000);
  }

  /** After this process changed the budget of a key. */
  forget(keyId: string): void {
    this.budgets.delete(keyId);
  }

  private budgetOf(keyId: string): Promise<Budget | undefined> {
    const known = this.budgets.get(keyId);
    if (known) return known;
    const read = this.readBudget(keyId);
    this.budgets.set(keyId, read);
    read.catch(() => this.budgets.delete(keyId));
    return read;
  }

  private async readBudget(keyId: string): Promise<Budget | undefined> {
    const key = await this.keys.get(keyId);
    return key && this.toBudget(key);
  }

  private async toBudget(key: ApiKey): Promise<Budget | undefined> {
    if (key.monthlySeconds === undefined) return undefined;
    const keyIds = (await this.keys.rotationsOf(key)).map(({ id }) => id);
    return { accountId: key.accountId, firstKeyId: firstOfRotations(key), keyIds, milliseconds: key.monthlySeconds * 1000 };
  }

  /**
   * Usage is in the ledger before its reservation is released. So the reservations are read first, and the decision holds
   * only if they are still the same.
   */
  private async hold(budget: Budget, { jobId, run }: JobRun, milliseconds: number): Promise<boolean> {
    const { firstKeyId: id, accountId } = budget;
    for (;;) {
      const stored = await this.holds.get(id);
      const held = this.heldNow(stored);
      const own = held[jobId];
      if (own && isAsHeld(own, run, milliseconds)) return true;
      if (!own && !(await this.hasTimeBeside(budget, held))) {
        if ((await this.holds.get(id))?.version === stored?.version) return false;
        continue;
      }
      const now = this.now();
      const next = { ...(stored?.document ?? { id, createdAt: now, accountId }), holds: { ...held, [jobId]: { milliseconds, heldAt: now, run } } };
      const written = stored ? await this.holds.replaceIf(next, stored.version) : await this.holds.insertIfAbsent(next);
      if (written) return true;
    }
  }

  private async hasTime(budget: Budget): Promise<boolean> {
    return this.hasTimeBeside(budget, this.heldNow(await this.holds.get(budget.firstKeyId)));
  }

  private async hasTimeBeside(budget: Budget, held: Record<string, Hold>): Promise<boolean> {
    const used = sumOf(budget, await this.usedByKey(budget.accountId));
    return Object.values(held).reduce((sum, hold) => sum + hold.milliseconds, used) < budget.milliseconds;
  }

  private releaseEnded(budget: Budget): Promise<boolean> {
    const running = this.looks.get(budget.firstKeyId);
    if (running) return running;
    const look = this.lookForEnds(budget);
    this.looks.set(budget.firstKeyId, look);
    look.catch(() => this.looks.delete(budget.firstKeyId));
    return look;
  }

  private async lookForEnds({ accountId, firstKeyId }: Budget): Promise<boolean> {
    const held = Object.keys((await this.holds.get(firstKeyId))?.document.holds ?? {});
    const ended = (await Promise.all(held.map((jobId) => this.quota.endedRun(accountId, jobId)))).filter((run) => run !== undefined);
    for (const run of ended) await this.release(accountId, run);
    return ended.length > 0;
  }

  private heldNow(stored: Stored<KeyHolds> | undefined): Record<string, Hold> {
    const since = heldSince(this.clock.now());
    return Object.fromEntries(Object.entries(stored?.document.holds ?? {}).filter(([, { heldAt }]) => heldAt > since));
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

const sumOf = ({ keyIds }: Budget, used: ReadonlyMap<string, number>): number => keyIds.reduce((sum, keyId) => sum + (used.get(keyId) ?? 0), 0);
