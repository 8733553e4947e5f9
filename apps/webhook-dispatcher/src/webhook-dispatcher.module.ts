import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { createEgress, type Egress } from '@parlance/egress';
import type { ServiceContext } from '@parlance/runtime';
import type { webhookConfig } from './config.js';
import type { DeliveryQueue } from './deliveries/delivery-queue.js';
import { createDispatcher } from './dispatcher.js';
import { EndpointController } from './endpoint.controller.js';
import type { Retention } from './events/retention.js';
import * as tokens from './tokens.js';
import { WebhookController } from './webhook.controller.js';

/** Node keeps an idle connection for five seconds, others longer; who keeps it for less says so. */
const KEEP_ALIVE_MS = 4_000;

@Module({})
export class WebhookDispatcherModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(tokens.DELIVERY_QUEUE) private readonly queue: DeliveryQueue,
    @Inject(tokens.RETENTION) private readonly retention: Retention,
    @Inject(tokens.EGRESS) private readonly egress: Egress,
  ) {}

  static from({ config, documents, metrics, clock, ids, log }: ServiceContext<typeof webhookConfig>): DynamicModule {
    const egress = createEgress({ allow: config.EGRESS_ALLOW, keepAliveMs: KEEP_ALIVE_MS });
    const dispatcher = createDispatcher({
      documents,
      egress,
      metrics,
      clock,
      ids,
      log,
      random: Math.random,
      scheduleSeconds: config.WEBHOOK_RETRY_SCHEDULE,
      timeoutMs: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
      concurrency: config.WEBHOOK_CONCURRENCY,
      retentionDays: config.WEBHOOK_EVENT_RETENTION_DAYS,
    });
    return {
      module: WebhookDispatcherModule,
      controllers: [WebhookController, EndpointController],
      providers: [
        { provide: tokens.DELIVERIES, useValue: dispatcher.deliveries },
        { provide: tokens.RECEIVERS, useValue: dispatcher.receivers },
        { provide: tokens.DELIVERY_QUEUE, useValue: dispatcher.queue },
        { provide: tokens.DELIVERY_INTAKE, useValue: dispatcher.intake },
        { provide: tokens.ACCOUNT_EVENTS, useValue: dispatcher.events },
        { provide: tokens.WEBHOOK_ENDPOINTS, useValue: dispatcher.endpoints },
        { provide: tokens.RETENTION, useValue: dispatcher.retention },
        { provide: tokens.JOB_ERASURES, useValue: dispatcher.erasures },
        { provide: tokens.SIGNING_SECRETS, useValue: dispatcher.secrets },
        { provide: tokens.EGRESS, useValue: egress },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.queue.start();
    this.retention.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.retention.close();
    await this.queue.close();
    await this.egress.close();
  }
}
