import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { createEgress, type Egress } from '@parlance/egress';
import { JobErasures, type ServiceContext } from '@parlance/runtime';
import type { webhookConfig } from './config.js';
import { Deliveries } from './deliveries/deliveries.js';
import { DeliveryIntake } from './deliveries/delivery-intake.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { Receivers } from './deliveries/receivers.js';
import { SigningSecrets } from './secrets/signing-secrets.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { DELIVERIES, DELIVERY_INTAKE, DELIVERY_QUEUE, EGRESS, JOB_ERASURES, RECEIVERS, SIGNING_SECRETS } from './tokens.js';
import { WebhookController } from './webhook.controller.js';

@Module({})
export class WebhookDispatcherModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(DELIVERY_QUEUE) private readonly queue: DeliveryQueue,
    @Inject(EGRESS) private readonly egress: Egress,
  ) {}

  static from(context: ServiceContext<typeof webhookConfig>): DynamicModule {
    const { config, documents, clock, ids, log } = context;
    const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1000;
    const egress = createEgress({ allow: config.EGRESS_ALLOW });
    const deliveries = new Deliveries(documents, clock);
    const receivers = new Receivers(documents, clock);
    const erasures = new JobErasures(context.name, documents, deliveries, clock);
    const secrets = new SigningSecrets(documents, clock);
    const queue = new DeliveryQueue({
      deliveries,
      receivers,
      sender: new WebhookSender({ egress, secrets, clock, timeoutMs }),
      metrics: new DeliveryMetrics(context.metrics, () => deliveries.countPending()),
      clock,
      log,
      random: Math.random,
      scheduleSeconds: config.WEBHOOK_RETRY_SCHEDULE,
      timeoutMs,
      concurrency: config.WEBHOOK_CONCURRENCY,
    });
    const intake = new DeliveryIntake({ deliveries, receivers, erasures, clock, ids, wake: () => queue.wake() });
    return {
      module: WebhookDispatcherModule,
      controllers: [WebhookController],
      providers: [
        { provide: DELIVERIES, useValue: deliveries },
        { provide: RECEIVERS, useValue: receivers },
        { provide: DELIVERY_QUEUE, useValue: queue },
        { provide: DELIVERY_INTAKE, useValue: intake },
        { provide: JOB_ERASURES, useValue: erasures },
        { provide: SIGNING_SECRETS, useValue: secrets },
        { provide: EGRESS, useValue: egress },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.queue.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.queue.close();
    await this.egress.close();
  }
}
