import { accountData, webhook } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import { AccountDataController } from './grpc/account-data.controller.js';
import { WebhookController } from './grpc/webhook.controller.js';
import { webhookConfig } from './webhook-dispatcher.config.js';
import { WebhookDispatcherConsumers } from './webhook-dispatcher.consumers.js';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

/** Turns job events into signed webhooks. */
export const manifest: ServiceManifest<typeof webhookConfig> = {
  name: 'webhook-dispatcher',
  config: webhookConfig,
  module: () => WebhookDispatcherModule,
  serves: (app) => [serve(webhook.WebhookServiceDefinition, app.get(WebhookController)), serve(accountData.AccountDataServiceDefinition, app.get(AccountDataController))],
  consumers: (app) => app.get(WebhookDispatcherConsumers).consumers(),
  workers: (app) => app.get(WebhookDispatcherConsumers).workers(),
};
