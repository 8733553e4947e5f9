import { AppError, type Clock } from '@parlance/platform';
import type { DocumentCollection } from '@parlance/storage';
import { LRUCache } from 'lru-cache';
import type { AccountPlans, Plan } from '../plans/index.js';
import type { AskForEnd } from './job-end.js';
import type { UsageLedger } from './usage-ledger.js';
import type { Hold, UsageBalance } from './usage-sums.js';

/** Milliseconds after which the seconds that a job had reserved are free again when no end of the job was reported. */
const HOLD_MS = 7 * 24 * 60 * 60_000;

/** Milliseconds in which it is not looked twice whether jobs of an account hold what they will not use. */
const POLL_INTERVAL_MS = 2000;

/** Milliseconds after which what a deleted job was billed is in the ledger, if it was. */
const BILLED_MS = 60_000;

/** One start of a job. */
export interface JobRun {
  jobId: string;
  run: number;
}

/** Milliseconds of audio that a live session needs now, and those that it would like to have set aside. */
export interface LiveTime {
  neededMs: number;
  wantedMs: number;
}

/** As the events report it; without a run, all runs of the job. */
export interface EndedRun {
  accountId: string;
  jobId: string;
  run?: number | undefined;
  billed: boolean;
}

export interface FreeTime {
  freeSeconds: number;
  /** By the ledger; what jobs under way will use is still in it. null: the plan has none, and nothing ends with them. */
  freeSecondsLeft: number | null;
}

/**
 * The free seconds of accounts. A job reserves the length of its media before it is transcribed, and is admitted while any
 * second is left that no other job holds: an account can exceed its free time by a part of one recording.
 */
export class Quota {
  /** True when anything was released; concurrent callers wait for the same check. */
  private readonly looks: LRUCache<string, Promise<boolean>>;
  /** When a job was first seen to be deleted. */
  private readonly deleted = new LRUCache<string, number>({ max: 10_000 });
  private readonly balances: DocumentCollection<UsageBalance>;

  constructor(
    private readonly ledger: Pick<UsageLedger, 'balances' | 'countedOf'>,
    private readonly plans: Pick<AccountPlans, 'of'>,
    private readonly clock: Clock,
    private readonly askForEnd: AskForEnd,
  ) {
    this.balances = ledger.balances;
    this.looks = new LRUCache({ max: 10_000, ttl: POLL_INTERVAL_MS, ttlResolution: 0, perf: { now: () => clock.now().getTime() } });
  }

  async of(accountId: string): Promise<FreeTime> {
    const { freeSeconds, billing } = await this.plans.of(accountId);
    if (freeSeconds === 0 && billing === 'pay') return { freeSeconds, freeSecondsLeft: null };
    const used = (await this.balances.get(accountId))?.document.milliseconds ?? 0;
    return { freeSeconds, freeSecondsLeft: Math.max(0, freeSeconds * 1000 - used) / 1000 };
  }

  /** For new jobs, and failed ones that are to be tried again. @throws AppError payment_required/quota_exhausted */
  async require(accountId: string): Promise<void> {
    const plan = await this.plans.of(accountId);
    if (plan.billing === 'pay') return;
    if (await this.hasTimeNow(plan, accountId)) return;
    if ((await this.releaseEnded(accountId)) && (await this.hasTimeNow(plan, accountId))) return;
    throw exhausted(plan);
  }

  /** Sets the media of a job aside; again with another length corrects it. @returns whether it may be transcribed. */
  async reserve(accountId: string, job: JobRun, milliseconds: number): Promise<boolean> {
    const plan = await this.plans.of(accountId);
    if (plan.billing === 'pay') return true;
    const hold = () => this.hold(plan, accountId, job, milliseconds);
    return (await hold()) || ((await this.releaseEnded(accountId)) && (await hold()));
  }

  /**
   * Sets further audio of a live session aside while it comes, so that sessions at the same time never have the same seconds.
   * @returns the milliseconds that are set aside: as many as were asked for, or all that are left
   * @throws AppError payment_required/quota_exhausted when that is less than what is needed
   */
  async extend(accountId: string, jobId: string, time: LiveTime): Promise<number> {
    const plan = await this.plans.of(accountId);
    if (plan.billing === 'pay') return time.wantedMs;
    let held = await this.holdLive(plan, accountId, jobId, time.wantedMs);
    if (held < time.neededMs && (await this.releaseEnded(accountId))) held = await this.holdLive(plan, accountId, jobId, time.wantedMs);
    if (held < time.neededMs) throw exhausted(plan);
    return held;
  }

  /** Releases what a run of a job had reserved and will not use. For a billed run, the ledger does that when it records the usage. */
  async ended({ accountId, jobId, run = Infinity, billed }: EndedRun): Promise<void> {
    if (!billed) await this.release(accountId, { jobId, run });
  }

  /** The run has ended, and those before it. What it was billed is the ledger's to take in; what a later one holds stays. */
  async release(accountId: string, { jobId, run }: JobRun): Promise<void> {
    const isOfIt = (hold: Hold | undefined) => hold !== undefined && (hold.run ?? 0) <= run;
    const balance = (await this.balances.get(accountId))?.document;
    if (!isOfIt(balance?.holds[jobId])) return;
    await this.balances.update(accountId, (current) => {
      if (!current || !isOfIt(current.holds[jobId])) return undefined;
      const { [jobId]: _released, ...holds } = current.holds;
      return { document: { ...current, holds } };
    });
  }

  /** A retry takes over the reservation of the previous run; a later length of the same run replaces the earlier one. */
  private async hold(plan: Plan, accountId: string, { jobId, run }: JobRun, milliseconds: number): Promise<boolean> {
    let granted = false;
    await this.balances.update(accountId, (balance = this.empty(accountId)) => {
      const held = this.heldNow(balance);
      const own = held[jobId];
      granted = own !== undefined || this.hasTime(plan, balance);
      if (!granted || (own && isAsHeld(own, run, milliseconds))) return undefined;
      return { document: { ...balance, holds: { ...held, [jobId]: { milliseconds, heldAt: this.now(), run } } } };
    });
    return granted;
  }

  private async holdLive(plan: Plan, accountId: string, jobId: string, wantedMs: number): Promise<number> {
    let granted = 0;
    await this.balances.update(accountId, (balance = this.empty(accountId)) => {
      const held = this.heldNow(balance);
      granted = extended(held, jobId, wantedMs, plan.freeSeconds * 1000 - balance.milliseconds);
      return granted > (held[jobId]?.milliseconds ?? 0) ? { document: { ...balance, holds: { ...held, [jobId]: this.liveHold(granted) } } } : undefined;
    });
    return granted;
  }

  private liveHold(milliseconds: number): Hold {
    return { milliseconds, heldAt: this.now(), run: 0 };
  }

  /** The event of an end may be on its way, or come just before its job's seconds are set aside. @returns whether any was. */
  private releaseEnded(accountId: string): Promise<boolean> {
    const running = this.looks.get(accountId);
    if (running) return running;
    const look = this.lookForEnds(accountId);
    this.looks.set(accountId, look);
    return look;
  }

  private async lookForEnds(accountId: string): Promise<boolean> {
    try {
      const held = Object.keys((await this.balances.get(accountId))?.document.holds ?? {});
      const ended = (await Promise.all(held.map((jobId) => this.endedRun(accountId, jobId)))).filter((run) => run !== undefined);
      for (const run of ended) await this.release(accountId, run);
      return ended.length > 0;
    } catch (error) {
      this.looks.delete(accountId);
      throw error;
    }
  }

  /** Only once the ledger has what it was billed: in between, somebody else would be given the same seconds. */
  async endedRun(accountId: string, jobId: string): Promise<JobRun | undefined> {
    const end = await this.askForEnd(accountId, jobId);
    if (end === 'deleted') return this.isLongDeleted(jobId) ? { jobId, run: Infinity } : undefined;
    return end && (await this.ledger.countedOf(jobId)) >= end.billedMilliseconds ? { jobId, run: end.run } : undefined;
  }

  private isLongDeleted(jobId: string): boolean {
    const now = this.clock.now().getTime();
    const since = this.deleted.get(jobId) ?? now;
    this.deleted.set(jobId, since);
    return now - since >= BILLED_MS;
  }

  private async hasTimeNow(plan: Plan, accountId: string): Promise<boolean> {
    return this.hasTime(plan, (await this.balances.get(accountId))?.document);
  }

  private hasTime({ freeSeconds }: Plan, balance: UsageBalance | undefined): boolean {
    return (balance?.milliseconds ?? 0) + sumOfHolds(this.heldNow(balance)) < freeSeconds * 1000;
  }

  private heldNow(balance: UsageBalance | undefined): Record<string, Hold> {
    const since = heldSince(this.clock.now());
    return Object.fromEntries(Object.entries(balance?.holds ?? {}).filter(([, { heldAt }]) => heldAt > since));
  }

  private empty(accountId: string): UsageBalance {
    return { id: accountId, createdAt: this.now(), milliseconds: 0, requests: 0, holds: {}, taken: [] };
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

/** Reservations before this time are over. */
export const heldSince = (now: Date): string => new Date(now.getTime() - HOLD_MS).toISOString();

export const sumOfHolds = (holds: Readonly<Record<string, Hold>>): number => Object.values(holds).reduce((sum, { milliseconds }) => sum + milliseconds, 0);

/**
 * Returns the milliseconds that a live session then holds: those that it wants, as far as no other job has them, and never less than before.
 * @param unusedMs of the account or key, without what is held
 */
export function extended(held: Readonly<Record<string, Hold>>, jobId: string, wantedMs: number, unusedMs: number): number {
  const own = held[jobId]?.milliseconds ?? 0;
  return Math.max(own, Math.min(wantedMs, own + unusedMs - sumOfHolds(held)));
}

/** An earlier run says nothing of a later one. */
export const isAsHeld = (own: Hold, run: number, milliseconds: number): boolean => (own.run ?? 0) > run || ((own.run ?? 0) === run && own.milliseconds === milliseconds);

const exhausted = ({ freeSeconds }: Plan): AppError =>
  new AppError({ kind: 'payment_required', code: 'quota_exhausted', message: `The ${freeSeconds / 60} free minutes of the account are used up.`, retryable: false });
