import type { Provider } from '@nestjs/common';
import { createEgress, egressOptions } from '@parlance/egress';
import { CONFIG } from '@parlance/runtime';
import type { WebhookDispatcherConfig } from '../webhook-dispatcher.config.js';

export const EGRESS = Symbol('Egress');

/** Node keeps an idle connection for five seconds, others longer; a server that keeps it for less says so. */
const KEEP_ALIVE_MS = 4_000;

export const egress: Provider = {
  provide: EGRESS,
  useFactory: (config: WebhookDispatcherConfig) => createEgress({ ...egressOptions(config), keepAliveMs: KEEP_ALIVE_MS }),
  inject: [CONFIG],
};
