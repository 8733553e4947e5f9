import { webhook } from '@parlance/contracts';
import type { Consumer, Delivery } from '@parlance/event-bus';
import type { JobErasures, ServiceManifest } from '@parlance/runtime';
import { webhookConfig } from './config.js';
import type { DeliveryIntake } from './deliveries/delivery-intake.js';
import type { AnnouncedType } from './deliveries/webhook-payload.js';
import { DELIVERY_INTAKE, JOB_ERASURES } from './tokens.js';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

/** Turns job events into signed webhooks. */
export const manifest: ServiceManifest<typeof webhookConfig> = {
  name: 'webhook-dispatcher',
  config: webhookConfig,
  module: (context) => WebhookDispatcherModule.from(context),
  grpc: { 'parlance.webhook.v1.WebhookService': webhook.WebhookServiceService },
  consumers: (app) => [jobEvents(app.get(DELIVERY_INTAKE), app.get(JOB_ERASURES))],
};

function jobEvents(intake: DeliveryIntake, erasures: JobErasures): Consumer {
  const announce = ({ event }: Delivery<AnnouncedType>) => intake.announce(event);
  return {
    group: 'webhook-dispatcher',
    topic: 'parlance.jobs.v1',
    handlers: {
      'job.started': announce,
      'job.transcript_ready': announce,
      'job.stage_failed': announce,
      'job.completed': announce,
      'job.failed': announce,
      'job.canceled': announce,
      'job.deleted': ({ event }) => erasures.erase(event.data),
    },
  };
}
