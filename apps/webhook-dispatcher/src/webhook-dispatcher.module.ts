import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy, type Provider } from '@nestjs/common';
import { ingest, summary, transcription } from '@parlance/contracts';
import { createEgress, egressOptions, type Egress } from '@parlance/egress';
import { Periodic, type Logger } from '@parlance/platform';
import { CONFIG, JOB_SERVICE, LOGGER, servicePort, SUMMARY_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { CircuitBreaker } from './deliveries/circuit-breaker.js';
import { Deliveries } from './deliveries/deliveries.js';
import { DeliveryAttempts } from './deliveries/delivery-attempts.js';
import { DeliveryIntake } from './deliveries/delivery-intake.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { DeliveryReports } from './deliveries/delivery-reports.js';
import { DeliveryWorker } from './deliveries/delivery-worker.js';
import { Redeliveries } from './deliveries/redeliveries.js';
import { WebhookEndpoints } from './endpoints/webhook-endpoints.js';
import { AccountEvents } from './events/account-events.js';
import { AccountDataController } from './grpc/account-data.controller.js';
import { WebhookController } from './grpc/webhook.controller.js';
import { ShownDeliveries } from './grpc/shown-deliveries.js';
import { ReceiverSecrets } from './secrets/receiver-secrets.js';
import { ReceiverOptions } from './sending/receiver-options.js';
import { WebhookContents } from './sending/webhook-contents.js';
import { EGRESS, WebhookSender } from './sending/webhook-sender.js';
import { DispatcherSettings, type WebhookDispatcherConfig } from './webhook-dispatcher.config.js';
import { WebhookDispatcherConsumers } from './webhook-dispatcher.consumers.js';
import { WebhookErasures } from './webhook-erasures.js';

const HOUR_MS = 3600_000;

const egress: Provider = { provide: EGRESS, useFactory: (config: WebhookDispatcherConfig) => createEgress(egressOptions(config)), inject: [CONFIG] };
const PORTS = [
  servicePort(JOB_SERVICE, 'ingest', ingest.JobServiceDefinition),
  servicePort(SUMMARY_SERVICE, 'summary', summary.SummaryServiceDefinition),
  servicePort(TRANSCRIPT_SERVICE, 'transcription', transcription.TranscriptServiceDefinition),
];
const EVENT_PROVIDERS = [AccountEvents, WebhookEndpoints, WebhookErasures];
const DELIVERY_PROVIDERS = [CircuitBreaker, Deliveries, DeliveryAttempts, DeliveryIntake, DeliveryQueue, DeliveryReports, DeliveryWorker, Redeliveries, ShownDeliveries];

@Module({
  controllers: [AccountDataController, WebhookController],
  providers: [DispatcherSettings, egress, ...PORTS, WebhookSender, WebhookContents, ReceiverOptions, ReceiverSecrets, ...EVENT_PROVIDERS, ...DELIVERY_PROVIDERS, WebhookDispatcherConsumers],
})
export class WebhookDispatcherModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly removal: Periodic;

  constructor(
    @Inject(WebhookErasures) erasures: WebhookErasures,
    @Inject(EGRESS) private readonly sending: Egress,
    @Inject(LOGGER) log: Logger,
  ) {
    this.removal = new Periodic(HOUR_MS, (signal) => erasures.removeOld(signal), (err) => log.error({ err }, 'removing old events failed; trying again in an hour'));
  }

  onApplicationBootstrap(): void {
    this.removal.start({ immediately: true });
  }

  async onModuleDestroy(): Promise<void> {
    await this.removal.close();
    await this.sending.close();
  }
}
