import { Inject, Injectable } from '@nestjs/common';
import { ANNOUNCED_TYPES, type AnnouncedType } from '@parlance/contracts';
import type { Consumer, Delivery } from '@parlance/event-bus';
import type { TaskWorker } from '@parlance/task-queue';
import { DeliveryIntake } from './deliveries/delivery-intake.js';
import { DeliveryWorker } from './deliveries/delivery-worker.js';
import { Redeliveries } from './deliveries/redeliveries.js';
import { WebhookErasures } from './webhook-erasures.js';

/** Handlers mostly wait for commits, and what they write in one moment is committed together. */
const EVENTS_AT_ONCE = 256;

/** The events that become webhooks, and the worker that sends them. */
@Injectable()
export class WebhookDispatcherConsumers {
  constructor(
    @Inject(DeliveryIntake) private readonly intake: DeliveryIntake,
    @Inject(WebhookErasures) private readonly erasures: WebhookErasures,
    @Inject(DeliveryWorker) private readonly worker: DeliveryWorker,
    @Inject(Redeliveries) private readonly redeliveries: Redeliveries,
  ) {}

  consumers(): Consumer[] {
    const group = 'webhook-dispatcher';
    const announce = ({ event }: Delivery<AnnouncedType>) => this.intake.announce(event);
    const jobHandlers: Consumer['handlers'] = {
      ...Object.fromEntries(ANNOUNCED_TYPES.map((type) => [type, announce])),
      'job.deleted': ({ event }) => this.erasures.erase(event.data),
    };
    return [
      { group, topic: 'parlance.jobs.v1', concurrency: EVENTS_AT_ONCE, handlers: jobHandlers },
      { group, topic: 'parlance.batches.v1', handlers: { 'batch.completed': ({ event }) => this.intake.announceBatch(event) } },
      // The service's own event, so that an endpoint is disabled once and its notice sent once.
      { group, topic: 'parlance.webhooks.v1', handlers: { 'webhook.endpoint_disabled': ({ event }) => this.intake.announceDisabled(event) } },
    ];
  }

  workers(): TaskWorker[] {
    return [this.worker.taskWorker, this.redeliveries.worker(), ...this.erasures.workers()];
  }
}
