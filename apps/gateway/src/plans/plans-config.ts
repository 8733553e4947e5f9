import { z } from 'zod';
import { BILLING_MODES, type BillingMode, type PlanLimits } from './plan.js';

/** A plan as the operator wrote it; BILLING_MODE says what it leaves open. */
export interface PlanSetting {
  freeMinutes: number;
  billing?: BillingMode;
  limits: PlanLimits;
}

const wholeFrom = (min: number) => z.int('must be a whole number').min(min, `must be at least ${min}`);

const limitsSchema = z.strictObject({
  requests_per_minute: wholeFrom(1).optional(),
  jobs_in_flight: wholeFrom(0).max(10_000, 'must be at most 10000').optional(),
  max_file_bytes: wholeFrom(1).optional(),
  max_duration_seconds: wholeFrom(1).optional(),
});

const planSchema = z.strictObject({
  free_minutes: z.number('must be a number').min(0, 'must be at least 0').max(1e9, 'must be at most 1000000000').default(0),
  billing: z.enum(BILLING_MODES, `must be ${BILLING_MODES.join(' or ')}`).optional(),
  limits: limitsSchema.default({}),
});

const plansSchema = z.record(z.string(), planSchema, 'must be a JSON object of plans by name');

const PLAN_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const planName = () => z.string().regex(PLAN_NAME, 'must be a plan’s name: lower case letters, digits, - and _');

/** JSON of plans by name; every wrong place has a line of its own. */
const plans = () =>
  z.string().transform((text, context): Record<string, PlanSetting> => {
    const parsed = plansSchema.safeParse(jsonOf(text));
    for (const { path, message } of parsed.error?.issues ?? []) context.addIssue({ code: 'custom', message: [path.join('.'), message].filter((part) => part !== '').join(': ') });
    const names = Object.keys(parsed.data ?? {});
    for (const name of names.filter((name) => !PLAN_NAME.test(name))) context.addIssue({ code: 'custom', message: `${JSON.stringify(name)} is no name of a plan: lower case letters, digits, - and _` });
    return Object.fromEntries(Object.entries(parsed.data ?? {}).map(([name, plan]) => [name, settingOf(plan)]));
  });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function settingOf({ free_minutes: freeMinutes, billing, limits }: z.output<typeof planSchema>): PlanSetting {
  const { requests_per_minute, jobs_in_flight, max_file_bytes, max_duration_seconds } = limits;
  return {
    freeMinutes,
    ...(billing && { billing }),
    limits: {
      ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
      ...(jobs_in_flight !== undefined && { jobsInFlight: jobs_in_flight }),
      ...(max_file_bytes !== undefined && { mediaBytes: max_file_bytes }),
      ...(max_duration_seconds !== undefined && { mediaSeconds: max_duration_seconds }),
    },
  };
}

/** Settings of the plans that accounts can have. */
export const plansConfig = {
  PLANS: plans()
    .default({})
    .describe('Plans beside the built-in `free` (300 free minutes) and `unlimited`, or in their place; best as PLANS_FILE. JSON: {"pro": {"free_minutes": 300, "billing": "pay", "limits": {"requests_per_minute": 1200, "jobs_in_flight": 500, "max_file_bytes": 1000000000, "max_duration_seconds": 7200}}}, all optional; limits of a plan are in place of those of the settings, larger or smaller'),
  BILLING_MODE: z.enum(BILLING_MODES).default('stop').describe('Once the free seconds of an account are used, for plans that do not say: `stop` answers 402, `pay` goes on and counts'),
  DEFAULT_PLAN: planName().default('free').describe('Plan of accounts that sign up, and of those whose plan is no more'),
  FIRST_ACCOUNT_PLAN: planName().default('unlimited').describe('Plan of the account that npm start or BOOTSTRAP_API_KEY makes'),
} as const;
