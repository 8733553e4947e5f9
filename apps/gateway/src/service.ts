import { accountData, gateway } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import { Accounts } from './accounts/accounts.js';
import { gatewayConfig } from './gateway.config.js';
import { GatewayConsumers } from './gateway.consumers.js';
import { GatewayModule } from './gateway.module.js';
import { AccountDataController } from './grpc/account-data.controller.js';
import { AccountRpcController } from './grpc/account-rpc.controller.js';
import { UsageRpcController } from './grpc/usage-rpc.controller.js';
import { createHttpAdapter, listen } from './http/http-server.js';
import { InternalsModule } from './http/internals.controller.js';
import { ApiKeys } from './keys/api-keys.js';
import { Authenticator } from './keys/authenticator.js';
import { LiveEndings } from './live/ending/live-endings.js';
import { LiveConsumers } from './live/live-consumers.js';
import { retentionProblems } from './plans/index.js';
import { signupProblems } from './signup/signup-config.js';
import { untilAvailable } from './until-available.js';
import { Upkeep } from './upkeep.js';

/** The public API: HTTP in, gRPC to the services behind it. */
export const manifest: ServiceManifest<typeof gatewayConfig> = {
  name: 'gateway',
  usesMedia: true,
  config: gatewayConfig,
  configProblems: (config) => [...signupProblems(config), ...retentionProblems(config)],
  module: ({ hasHealthServer }) => ({ module: GatewayModule, imports: hasHealthServer ? [] : [InternalsModule] }),
  serves: (app) => [serve(gateway.AccountServiceDefinition, app.get(AccountRpcController), app.get(UsageRpcController)), serve(accountData.AccountDataServiceDefinition, app.get(AccountDataController))],
  consumers: (app) => [...app.get(GatewayConsumers).consumers(), ...app.get(LiveConsumers).consumers()],
  workers: (app) => app.get(GatewayConsumers).workers(),
  followers: (app) => [...app.get(GatewayConsumers).followers(), ...app.get(LiveConsumers).followers()],
  http: {
    adapter: createHttpAdapter,
    listen: async (app, context) => {
      const { BOOTSTRAP_API_KEY } = context.config;
      if (BOOTSTRAP_API_KEY !== undefined) await untilAvailable(() => app.get(Accounts).bootstrap(BOOTSTRAP_API_KEY), context.log);
      app.get(Authenticator).admit(await untilAvailable(() => app.get(ApiKeys).adoptedIds(), context.log));
      app.get(Upkeep).start();
      app.get(LiveEndings).start();
      return listen(app, context);
    },
  },
};
