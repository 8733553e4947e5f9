import { integer, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';
import { BILLING_MODES, type BillingMode, type PlanLimits, type Retention } from './plan.js';

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
  streams: wholeFrom(0).max(100_000, 'must be at most 100000').optional(),
  live_sessions: wholeFrom(0).max(100_000, 'must be at most 100000').optional(),
  max_file_bytes: wholeFrom(1).optional(),
  max_duration_seconds: wholeFrom(1).optional(),
  storage_bytes: wholeFrom(0).optional(),
  retention_default_hours: wholeFrom(0).optional(),
  retention_max_hours: wholeFrom(1).optional(),
  media_retention_hours: wholeFrom(0).optional(),
});

const planSchema = z.strictObject({
  free_minutes: z.number('must be a number').min(0, 'must be at least 0').max(1e9, 'must be at most 1000000000').default(0),
  billing: z.enum(BILLING_MODES, `must be ${BILLING_MODES.join(' or ')}`).optional(),
  limits: limitsSchema.default({}),
});

const plansSchema = z.record(z.string(), planSchema, 'must be a JSON object of plans by name');

/** Ten years: what a job can ask for. */
const MAX_RETENTION_HOURS = 87_600;

const PLAN_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const planName = () => z.string().regex(PLAN_NAME, 'must be the name of a plan: lower case letters, digits, - and _');

/** JSON of plans by name; every wrong place has a line of its own. */
const plans = () =>
  z.string().transform((text, context): Record<string, PlanSetting> => {
    const parsed = plansSchema.safeParse(jsonOf(text));
    for (const { path, message } of parsed.error?.issues ?? []) context.addIssue({ code: 'custom', message: [path.join('.'), message].filter((part) => part !== '').join(': ') });
    const names = Object.keys(parsed.data ?? {});
    for (const name of names.filter((name) => !PLAN_NAME.test(name))) context.addIssue({ code: 'custom', message: `${JSON.stringify(name)} is not a valid name of a plan: use lower case letters, digits, - and _` });
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
  const { requests_per_minute, jobs_in_flight, streams, live_sessions, max_file_bytes, max_duration_seconds, storage_bytes } = limits;
  const retention = retentionOf(limits);
  return {
    freeMinutes,
    ...(billing && { billing }),
    limits: {
      ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
      ...(jobs_in_flight !== undefined && { jobsInFlight: jobs_in_flight }),
      ...(streams !== undefined && { streams }),
      ...(live_sessions !== undefined && { liveSessions: live_sessions }),
      ...(max_file_bytes !== undefined && { mediaBytes: max_file_bytes }),
      ...(max_duration_seconds !== undefined && { mediaSeconds: max_duration_seconds }),
      ...(storage_bytes !== undefined && { storageBytes: storage_bytes }),
      ...(Object.keys(retention).length > 0 && { retention }),
    },
  };
}

function retentionOf({ retention_default_hours, retention_max_hours, media_retention_hours }: z.output<typeof limitsSchema>): Retention {
  return {
    ...(retention_default_hours !== undefined && { defaultHours: retention_default_hours }),
    ...(retention_max_hours !== undefined && { maxHours: retention_max_hours }),
    ...(media_retention_hours !== undefined && { mediaHours: media_retention_hours }),
  };
}

/** Settings of the plans that accounts can have. */
export const plansConfig = {
  PLANS: plans()
    .default({})
    .describe('Plans in addition to, or instead of, the built-in `free` (300 free minutes) and `unlimited`; best given as PLANS_FILE. JSON, with every property optional: {"pro": {"free_minutes": 300, "billing": "pay", "limits": {"requests_per_minute": 1200, "jobs_in_flight": 500, "streams": 1000, "live_sessions": 50, "max_file_bytes": 1000000000, "max_duration_seconds": 7200, "storage_bytes": 50000000000, "retention_default_hours": 720, "retention_max_hours": 8760, "media_retention_hours": 24}}}. A limit of a plan replaces that of the settings, whether larger or smaller'),
  BILLING_MODE: z.enum(BILLING_MODES).default('stop').describe('What happens when the free seconds of an account are used up, for plans that do not set `billing`: `stop` answers 402, `pay` continues and counts the usage'),
  DEFAULT_PLAN: planName().default('free').describe('Plan of accounts that sign up, and of accounts whose plan no longer exists'),
  STORAGE_BYTES_PER_ACCOUNT: integer(0)
    .default(10 * 1024 ** 3)
    .describe('Bytes of media files that an account may have stored at a time, for plans that do not set it (10 GiB; the built-in `unlimited` has no limit). A further file is refused with storage_quota_exhausted. 0: no limit'),
  RETENTION_DEFAULT_HOURS: integer(0, MAX_RETENTION_HOURS).optional().describe('Hours for which a job is kept after its end when neither the job (`retention_hours`), its account nor its plan sets it. Empty: until it is deleted'),
  RETENTION_MAX_HOURS: integer(1, MAX_RETENTION_HOURS).optional().describe('Maximum hours that a job can request, and for which a job without a request is kept; the smallest of this value, the plan’s and the account’s applies. Empty: no maximum'),
  MEDIA_RETENTION_HOURS: integer(0, MAX_RETENTION_HOURS).optional().describe('Hours for which the media of a job is kept after its end when the job does not set `media_retention_hours`; the transcript stays. Media of failed jobs is kept for at most a day. Empty: as long as the job'),
  FIRST_ACCOUNT_PLAN: planName().default('unlimited').describe('Plan of the account that npm start or BOOTSTRAP_API_KEY creates'),
} as const;

/** The operator's, for accounts and plans that do not say. */
export const retentionSettings = ({ RETENTION_DEFAULT_HOURS, RETENTION_MAX_HOURS, MEDIA_RETENTION_HOURS }: ConfigOf<typeof plansConfig>): Retention => ({
  ...(RETENTION_DEFAULT_HOURS !== undefined && { defaultHours: RETENTION_DEFAULT_HOURS }),
  ...(RETENTION_MAX_HOURS !== undefined && { maxHours: RETENTION_MAX_HOURS }),
  ...(MEDIA_RETENTION_HOURS !== undefined && { mediaHours: MEDIA_RETENTION_HOURS }),
});

/** Defaults that a bound would silently shorten. */
export function retentionProblems({ RETENTION_DEFAULT_HOURS, RETENTION_MAX_HOURS, MEDIA_RETENTION_HOURS }: ConfigOf<typeof plansConfig>): string[] {
  const problem = (name: string, hours: number | undefined) =>
    hours !== undefined && RETENTION_MAX_HOURS !== undefined && hours > RETENTION_MAX_HOURS ? [`${name}: ${hours} is more than RETENTION_MAX_HOURS, which is ${RETENTION_MAX_HOURS}`] : [];
  return [...problem('RETENTION_DEFAULT_HOURS', RETENTION_DEFAULT_HOURS), ...problem('MEDIA_RETENTION_HOURS', MEDIA_RETENTION_HOURS)];
}
