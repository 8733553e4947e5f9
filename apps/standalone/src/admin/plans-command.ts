import { readFileSync } from 'node:fs';
import { Plans, plansConfig, type Plan } from '@parlance/gateway/plans';
import { readConfig, silentLogger } from '@parlance/platform';
import { Command } from 'commander';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption } from './options.js';
import { table } from './table.js';

/** Plans that accounts can have, as the gateway reads them from the same settings. */
export function plansCommand({ env, print }: AdminTools): Command {
  const plans = new Command('plans').description('show the plans of accounts (PLANS, BILLING_MODE, DEFAULT_PLAN, FIRST_ACCOUNT_PLAN)');
  plans
    .command('list')
    .description('list the plans of these settings, and which plan new accounts get')
    .addOption(jsonOption())
    .action((options: { json?: true }) => {
      const found = Plans.from(readConfig(plansConfig, { env, readFile: (path) => readFileSync(path, 'utf8') }), silentLogger());
      print(options.json ? json(found.all().map((plan) => planJson(plan, found))) : planTable(found));
    });
  return plans;
}

const planJson = ({ name, freeSeconds, billing, limits }: Plan, { ofSignUps, ofFirstAccount }: Plans) => ({
  name,
  free_minutes: freeSeconds / 60,
  billing,
  limits: {
    requests_per_minute: limits.requestsPerMinute,
    jobs_in_flight: limits.jobsInFlight,
    streams: limits.streams,
    max_file_bytes: limits.mediaBytes,
    max_duration_seconds: limits.mediaSeconds,
    storage_bytes: limits.storageBytes,
    retention_default_hours: limits.retention?.defaultHours,
    retention_max_hours: limits.retention?.maxHours,
    media_retention_hours: limits.retention?.mediaHours,
  },
  of_sign_ups: name === ofSignUps.name,
  of_first_account: name === ofFirstAccount.name,
});

function planTable(plans: Plans): string {
  const rows = plans.all().map(({ name, freeSeconds, billing, limits: { retention = {}, ...limits } }) => {
    const own = Object.entries({ ...limits, ...retention }).map(([limit, value]) => `${limit}=${String(value)}`);
    return [name, String(freeSeconds / 60), billing, own.join(' ') || '-', givenTo(name, plans)];
  });
  return table(['PLAN', 'FREE MINUTES', 'THEN', 'LIMITS OF ITS OWN', 'OF'], rows);
}

const givenTo = (name: string, { ofSignUps, ofFirstAccount }: Plans): string =>
  [...(name === ofSignUps.name ? ['sign-ups'] : []), ...(name === ofFirstAccount.name ? ['the first account'] : [])].join(', ') || '-';
