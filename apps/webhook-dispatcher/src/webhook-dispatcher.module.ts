import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy, type Provider } from '@nestjs/common';
import { createEgress, egressOptions, type Egress } from '@parlance/egress';
import type { Logger } from '@parlance/platform';
import { CONFIG, LOGGER } from '@parlance/runtime';
import { CircuitBreaker } from './deliveries/circuit-breaker.js';
import { Deliveries } from './deliveries/deliveries.js';
import { DeliveryAttempts } from './deliveries/delivery-attempts.js';
import { DeliveryIntake } from './deliveries/delivery-intake.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { DeliveryWorker } from './deliveries/delivery-worker.js';
import { EarlierReceivers } from './deliveries/earlier-receivers.js';
import { WebhookEndpoints } from './endpoints/webhook-endpoints.js';
import { AccountEvents } from './events/account-events.js';
import { WebhookController } from './grpc/webhook.controller.js';
import { Periodic } from './periodic.js';
import { ReceiverSecrets } from './secrets/receiver-secrets.js';
import { EGRESS, WebhookSender } from './sending/webhook-sender.js';
import { DispatcherSettings, type WebhookDispatcherConfig } from './webhook-dispatcher.config.js';
import { WebhookDispatcherConsumers } from './webhook-dispatcher.consumers.js';
import { WebhookErasures } from './webhook-erasures.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const egress: Provider = { provide: EGRESS, useFactory: (config: WebhookDispatcherConfig) => createEgress(egressOptions(config)), inject: [CONFIG] };
const EVENT_PROVIDERS = [AccountEvents, WebhookEndpoints, WebhookErasures];
const DELIVERY_PROVIDERS = [CircuitBreaker, Deliveries, DeliveryAttempts, DeliveryIntake, DeliveryMetrics, DeliveryQueue, DeliveryWorker, EarlierReceivers];

@Module({
  controllers: [WebhookController],
  providers: [DispatcherSettings, egress, WebhookSender, ReceiverSecrets, ...EVENT_PROVIDERS, ...DELIVERY_PROVIDERS, WebhookDispatcherConsumers],
})
export class WebhookDispatcherModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly periodic: Periodic[];

  constructor(
    @Inject(EarlierReceivers) earlier: EarlierReceivers,
    @Inject(WebhookErasures) erasures: WebhookErasures,
    @Inject(EGRESS) private readonly sending: Egress,
    @Inject(LOGGER) log: Logger,
  ) {
    this.periodic = [
      // Processes of the version before may run beside this one during an upgrade.
      new Periodic(MINUTE_MS, () => earlier.takeOver(), (err) => log.warn({ err }, 'taking over earlier receivers failed; trying again in a minute')),
      new Periodic(HOUR_MS, () => erasures.removeOld(), (err) => log.error({ err }, 'removing old events failed; trying again in an hour')),
    ];
  }

  onApplicationBootstrap(): void {
    for (const each of this.periodic) each.start();
  }

  async onModuleDestroy(): Promise<void> {
    for (const each of this.periodic) await each.close();
    await this.sending.close();
  }
}
