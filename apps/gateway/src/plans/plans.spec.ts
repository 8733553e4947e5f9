import { describe, expect, it } from '@jest/globals';
import { type ConfigError, readConfig } from '@parlance/platform';
import { plansConfig } from './plans-config.js';
import { Plans } from './plans.js';

const warnings: unknown[] = [];
const log = { warn: (about: unknown) => void warnings.push(about) } as unknown as Parameters<typeof Plans.from>[1];

const plansOf = (env: Record<string, string>, readFile = (): string => '') => Plans.from(readConfig(plansConfig, { env, readFile }), log);

function problemsOf(env: Record<string, string>): string[] {
  try {
    plansOf(env);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

describe('the plans', () => {
  it('are a free one that stops after 300 minutes and an unlimited one for whoever runs the service', () => {
    const plans = plansOf({});
    expect(plans.ofSignUps).toEqual({ name: 'free', freeSeconds: 18_000, billing: 'stop', limits: {} });
    expect(plans.ofFirstAccount).toMatchObject({ name: 'unlimited', billing: 'pay' });
    expect(plansOf({ BILLING_MODE: 'pay' }).ofSignUps.billing).toBe('pay');
  });

  it('are the operator’s, from a file, with limits of their own', () => {
    const file = '{"pro": {"free_minutes": 0.5, "billing": "pay", "limits": {"requests_per_minute": 6000, "jobs_in_flight": 0, "max_file_bytes": 9, "max_duration_seconds": 60, "storage_bytes": 5, "media_retention_hours": 0}}, "free": {"free_minutes": 1}}';
    const plans = plansOf({ PLANS_FILE: '/etc/plans.json', DEFAULT_PLAN: 'pro' }, () => file);
    expect(plans.ofSignUps).toEqual({ name: 'pro', freeSeconds: 30, billing: 'pay', limits: { requestsPerMinute: 6000, jobsInFlight: 0, mediaBytes: 9, mediaSeconds: 60, storageBytes: 5, retention: { mediaHours: 0 } } });
    expect(plans.all().map(({ name, freeSeconds }) => [name, freeSeconds])).toEqual([['free', 60], ['unlimited', 0], ['pro', 30]]);
  });

  it('say every wrong place on a line of its own', () => {
    expect(problemsOf({ PLANS: '{"pro": {"free_minuts": 3, "billing": "sometimes", "limits": {"requests_per_minute": 0}}}' })).toEqual([
      'PLANS: pro.billing: must be stop or pay',
      'PLANS: pro.limits.requests_per_minute: must be at least 1',
      'PLANS: pro: Unrecognized key: "free_minuts"',
    ]);
    expect(problemsOf({ PLANS: 'pro' })).toEqual(['PLANS: must be a JSON object of plans by name']);
    expect(problemsOf({ PLANS: '{"Pro plan": {}}' })).toEqual(['PLANS: "Pro plan" is not a valid name of a plan: use lower case letters, digits, - and _']);
    expect(problemsOf({ DEFAULT_PLAN: 'gold', FIRST_ACCOUNT_PLAN: 'lead' })).toEqual([
      'DEFAULT_PLAN: the plan gold does not exist (free, unlimited)',
      'FIRST_ACCOUNT_PLAN: the plan lead does not exist (free, unlimited)',
    ]);
  });

  it('give accounts of a plan that is no more the default one, and say so once', () => {
    const plans = plansOf({});
    warnings.length = 0;
    expect(plans.of({ plan: 'retired' }).name).toBe('free');
    expect(plans.of({ plan: 'retired' }).name).toBe('free');
    expect(plans.of({ plan: 'constructor' }).name).toBe('free');
    expect(warnings).toHaveLength(2);
    expect(plans.named('retired')).toBeUndefined();
  });
});
