import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CircuitBreaker } from './deliveries/circuit-breaker.js';
import { Deliveries } from './deliveries/deliveries.js';
import { DeliveryAttempts } from './deliveries/delivery-attempts.js';
import { DeliveryChoice } from './deliveries/delivery-choice.js';
import { DeliveryIntake } from './deliveries/delivery-intake.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { DeliveryWorker } from './deliveries/delivery-worker.js';
import { EarlierReceivers } from './deliveries/earlier-receivers.js';
import { Redelivery } from './deliveries/redelivery.js';
import { DispatcherSettings } from './dispatcher-settings.js';
import { WebhookEndpoints } from './endpoints/webhook-endpoints.js';
import { AccountEvents } from './events/account-events.js';
import { Retention } from './events/retention.js';
import { EndpointController } from './grpc/endpoint.controller.js';
import { WebhookController } from './grpc/webhook.controller.js';
import { ReceiverSecrets } from './secrets/receiver-secrets.js';
import { egress } from './sending/egress.provider.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { WebhookDispatcherConsumers } from './webhook-dispatcher.consumers.js';
import { WebhookErasures } from './webhook-erasures.js';

const EVENT_PROVIDERS = [AccountEvents, WebhookEndpoints, WebhookErasures, Retention];
const DELIVERY_PROVIDERS = [CircuitBreaker, Deliveries, DeliveryAttempts, DeliveryChoice, DeliveryIntake, DeliveryMetrics, DeliveryQueue, DeliveryWorker, EarlierReceivers, Redelivery];
const SENDING_PROVIDERS = [egress, WebhookSender, ReceiverSecrets];

@Module({
  controllers: [WebhookController, EndpointController],
  providers: [DispatcherSettings, ...EVENT_PROVIDERS, ...DELIVERY_PROVIDERS, ...SENDING_PROVIDERS, WebhookDispatcherConsumers],
})
export class WebhookDispatcherModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(EarlierReceivers) private readonly earlier: EarlierReceivers,
    @Inject(Retention) private readonly retention: Retention,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
  ) {}

  onApplicationBootstrap(): void {
    this.earlier.periodic.start();
    this.retention.periodic.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.earlier.periodic.close();
    await this.retention.periodic.close();
    await this.sender.close();
  }
}
