import { gateway } from '@parlance/contracts';
import type { Consumer } from '@parlance/event-bus';
import type { JobErasures, ServiceManifest } from '@parlance/runtime';
import type { Accounts } from './accounts/accounts.js';
import { watcherFollowers } from './events/job-watcher.js';
import { gatewayConfig } from './gateway-config.js';
import { GatewayModule } from './gateway.module.js';
import { createHttpAdapter, listen } from './http/http-server.js';
import { ACCOUNTS, API_KEYS, AUTHENTICATOR, JOB_ERASURES, JOB_WATCHER, QUOTA, UPKEEP, USAGE_LEDGER } from './tokens.js';
import type { ApiKeys } from './keys/api-keys.js';
import type { Authenticator } from './keys/authenticator.js';
import { signupProblems } from './signup/signup-config.js';
import type { Upkeep } from './upkeep.js';
import type { Quota } from './usage/quota.js';
import { releaseHold, usageConsumer } from './usage/usage-consumers.js';

/** The public API: HTTP in, gRPC to the services behind it. */
export const manifest: ServiceManifest<typeof gatewayConfig> = {
  name: 'gateway',
  config: gatewayConfig,
  configProblems: signupProblems,
  module: (context) => GatewayModule.from(context),
  grpc: { 'parlance.gateway.v1.AccountService': gateway.AccountServiceService },
  consumers: (app) => [jobEvents(app.get(JOB_ERASURES), app.get(QUOTA)), usageConsumer(app.get(USAGE_LEDGER))],
  followers: (app) => watcherFollowers(app.get(JOB_WATCHER)),
  http: {
    adapter: createHttpAdapter,
    listen: async (app, context) => {
      const { BOOTSTRAP_API_KEY } = context.config;
      if (BOOTSTRAP_API_KEY !== undefined) await app.get<Accounts>(ACCOUNTS).bootstrap(BOOTSTRAP_API_KEY);
      app.get<Authenticator>(AUTHENTICATOR).admit(await app.get<ApiKeys>(API_KEYS).adoptedIds());
      app.get<Upkeep>(UPKEEP).start();
      return listen(app, context);
    },
  },
};

function jobEvents(erasures: JobErasures, quota: Quota): Consumer {
  const release = releaseHold(quota);
  return {
    group: 'gateway',
    topic: 'parlance.jobs.v1',
    handlers: {
      'job.failed': release,
      'job.canceled': release,
      'job.deleted': async (delivery) => {
        await release(delivery);
        await erasures.erase(delivery.event.data);
      },
    },
  };
}
