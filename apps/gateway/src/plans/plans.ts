import { ConfigError, type ConfigOf, type Logger } from '@parlance/platform';
import type { Plan } from './plan.js';
import type { plansConfig, PlanSetting } from './plans-config.js';

/** `unlimited` is for operators who run the service for themselves. */
const BUILT_IN: Record<string, PlanSetting> = {
  free: { freeMinutes: 300, limits: {} },
  unlimited: { freeMinutes: 0, billing: 'pay', limits: { storageBytes: 0 } },
};

/** The plans that accounts can have, by the operator's settings. */
export class Plans {
  private readonly missed = new Set<string>();

  private constructor(
    private readonly byName: ReadonlyMap<string, Plan>,
    /** The plan of accounts that sign up. */
    readonly ofSignUps: Plan,
    /** The plan of the account that the installation creates. */
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
      if (!plan) problems.push(`${setting}: the plan ${name} does not exist (${[...byName.keys()].join(', ')})`);
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

  /** Finds a plan to give to an account: undefined when there is none of that name. */
  named(name: string): Plan | undefined {
    return this.byName.get(name);
  }

  /** Returns the plan of an account: the default plan, with one warning, when the settings no longer define its plan. */
  of({ plan: name }: { plan: string }): Plan {
    const plan = this.byName.get(name);
    if (plan) return plan;
    if (!this.missed.has(name)) this.log.warn({ plan: name, instead: this.ofSignUps.name }, 'accounts use a plan that the settings do not define; the default plan applies to them');
    this.missed.add(name);
    return this.ofSignUps;
  }
}
