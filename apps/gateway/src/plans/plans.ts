import { ConfigError, type ConfigOf, type Logger } from '@parlance/platform';
import type { Plan } from './plan.js';
import type { plansConfig, PlanSetting } from './plans-config.js';

/** For accounts that nobody counts on: who runs the service for themselves. */
const BUILT_IN: Record<string, PlanSetting> = {
  free: { freeMinutes: 300, limits: {} },
  unlimited: { freeMinutes: 0, billing: 'pay', limits: {} },
};

/** The plans that accounts can have, by the operator's settings. */
export class Plans {
  private readonly missed = new Set<string>();

  private constructor(
    private readonly byName: ReadonlyMap<string, Plan>,
    /** Of accounts that sign up. */
    readonly ofSignUps: Plan,
    /** Of the account that comes with the installation. */
    readonly ofFirstAccount: Plan,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** @throws ConfigError when a setting names a plan that there is not */
  static from({ PLANS, BILLING_MODE, DEFAULT_PLAN, FIRST_ACCOUNT_PLAN }: ConfigOf<typeof plansConfig>, log: Pick<Logger, 'warn'>): Plans {
    const plans = Object.entries({ ...BUILT_IN, ...PLANS }).map(([name, { freeMinutes, billing = BILLING_MODE, limits }]): Plan => {
      return { name, freeSeconds: Math.round(freeMinutes * 60), billing, limits };
    });
    const byName = new Map(plans.map((plan) => [plan.name, plan]));
    const problems: string[] = [];
    const named = (setting: string, name: string): Plan | undefined => {
      const plan = byName.get(name);
      if (!plan) problems.push(`${setting}: there is no plan ${name} (${[...byName.keys()].join(', ')})`);
      return plan;
    };
    const byDefault = named('DEFAULT_PLAN', DEFAULT_PLAN);
    const ofFirst = named('FIRST_ACCOUNT_PLAN', FIRST_ACCOUNT_PLAN);
    if (!byDefault || !ofFirst) throw new ConfigError(problems);
    return new Plans(byName, byDefault, ofFirst, log);
  }

  all(): Plan[] {
    return [...this.byName.values()];
  }

  /** For whoever gives an account a plan: undefined when there is none of that name. */
  named(name: string): Plan | undefined {
    return this.byName.get(name);
  }

  /** For whoever has an account of it: one that the settings no longer have is the default one, which is said once. */
  of({ plan: name }: { plan: string }): Plan {
    const plan = this.byName.get(name);
    if (plan) return plan;
    if (!this.missed.has(name)) this.log.warn({ plan: name, instead: this.ofSignUps.name }, 'accounts have a plan that the settings do not; they get the default one');
    this.missed.add(name);
    return this.ofSignUps;
  }
}
