import { LRUCache } from 'lru-cache';
import type { Plan } from './plan.js';
import type { Plans } from './plans.js';

/** Milliseconds within which a plan that another process gave an account holds here. */
const CACHE_MS = 5000;
const CACHE_SIZE = 10_000;

interface OnPlan {
  plan: string;
}

/** The plan of an account, quick enough to be asked for on every request. */
export class AccountPlans {
  private readonly cache = new LRUCache<string, Plan>({ max: CACHE_SIZE, ttl: CACHE_MS });

  constructor(
    private readonly accounts: { get(id: string): Promise<OnPlan | undefined> },
    private readonly plans: Plans,
  ) {}

  /** When it was looked up a moment ago. */
  known(accountId: string): Plan | undefined {
    return this.cache.get(accountId);
  }

  /** The plan of the account; for a deleted account, the plan of sign-ups. */
  async of(accountId: string): Promise<Plan> {
    const known = this.known(accountId);
    if (known) return known;
    const account = await this.accounts.get(accountId);
    const plan = account ? this.plans.of(account) : this.plans.ofSignUps;
    this.cache.set(accountId, plan);
    return plan;
  }

  /** After this process gave the account another plan. */
  forget(accountId: string): void {
    this.cache.delete(accountId);
  }
}
