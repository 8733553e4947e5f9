import { describe, expect, it } from '@jest/globals';
import { readConfig } from '@parlance/platform';
import { plansConfig, retentionProblems } from './plans-config.js';
import type { Plan, Retention } from './plan.js';
import { RetentionRules } from './retention-rules.js';

function rules({ account = {}, plan = {}, settings = {} }: { account?: Retention; plan?: Retention; settings?: Retention }): RetentionRules {
  const plans = { of: async (): Promise<Plan> => ({ name: 'free', freeSeconds: 0, billing: 'stop', limits: { retention: plan } }) };
  return new RetentionRules({ get: async () => ({ retention: account }) }, plans, settings);
}

describe('how long a job is kept', () => {
  it('is as it asks, else as its account, its plan, the settings say, else for ever', async () => {
    const levels = { account: { defaultHours: 1 }, plan: { defaultHours: 2, mediaHours: 20 }, settings: { defaultHours: 3, mediaHours: 30 } };
    expect(await rules(levels).of('acc_1', { retention_hours: 0, media_retention_hours: 5 })).toEqual({ retention_hours: 0, media_retention_hours: 5 });
    expect(await rules(levels).of('acc_1', {})).toEqual({ retention_hours: 1, media_retention_hours: 20 });
    expect(await rules({ plan: levels.plan, settings: levels.settings }).of('acc_1', {})).toEqual({ retention_hours: 2, media_retention_hours: 20 });
    expect(await rules({ settings: levels.settings }).of('acc_1', {})).toEqual({ retention_hours: 3, media_retention_hours: 30 });
    expect(await rules({}).of('acc_1', {})).toEqual({ retention_hours: undefined, media_retention_hours: undefined });
  });

  it('is never more than the least of the maxima: what would be longer is cut, what asks for longer is refused', async () => {
    const bounded = rules({ account: { maxHours: 100 }, plan: { maxHours: 10, defaultHours: 50 }, settings: { maxHours: 1000 } });
    expect(await bounded.of('acc_1', {})).toMatchObject({ retention_hours: 10 });
    expect(await rules({ settings: { maxHours: 5 } }).of('acc_1', {})).toMatchObject({ retention_hours: 5 });
    expect(await bounded.of('acc_1', { retention_hours: 10 })).toMatchObject({ retention_hours: 10 });
    await expect(bounded.of('acc_1', { retention_hours: 11, media_retention_hours: 11 })).rejects.toMatchObject({
      fields: [{ pointer: '/retention_hours', code: 'too_large' }, { pointer: '/media_retention_hours', code: 'too_large' }],
    });
  });
});

it('a default above the bound that the operator set is a problem at the start', () => {
  const config = readConfig(plansConfig, { env: { RETENTION_DEFAULT_HOURS: '48', RETENTION_MAX_HOURS: '24', MEDIA_RETENTION_HOURS: '12' }, readFile: () => '' });
  expect(retentionProblems(config)).toEqual(['RETENTION_DEFAULT_HOURS: 48 is more than RETENTION_MAX_HOURS, which is 24']);
});
