import { webhook, type AnnouncedType } from '@parlance/contracts';
import type { Consumer, Delivery } from '@parlance/event-bus';
import type { JobErasures, ServiceManifest } from '@parlance/runtime';
import { webhookConfig } from './config.js';
import type { DeliveryIntake } from './deliveries/delivery-intake.js';
import { DELIVERY_INTAKE, JOB_ERASURES } from './tokens.js';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

/** They wait for commits and little else; those of one moment are written together. */
const EVENTS_AT_ONCE = 256;

/** Turns job events into signed webhooks. */
export const manifest: ServiceManifest<typeof webhookConfig> = {
  name: 'webhook-dispatcher',
  config: webhookConfig,
  module: (context) => WebhookDispatcherModule.from(context),
  grpc: { 'parlance.webhook.v1.WebhookService': webhook.WebhookServiceService },
  consumers: (app) => [jobEvents(app.get(DELIVERY_INTAKE), app.get(JOB_ERASURES)), endpointEvents(app.get(DELIVERY_INTAKE))],
};

function jobEvents(intake: DeliveryIntake, erasures: JobErasures): Consumer {
  const announce = ({ event }: Delivery<AnnouncedType>) => intake.announce(event);
  return {
    group: 'webhook-dispatcher',
    topic: 'parlance.jobs.v1',
    concurrency: EVENTS_AT_ONCE,
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

/** What this service tells itself, so that an endpoint's end and the notice of it are one each. */
const endpointEvents = (intake: DeliveryIntake): Consumer => ({
  group: 'webhook-dispatcher',
  topic: 'parlance.webhooks.v1',
  handlers: { 'webhook.endpoint_disabled': ({ event }) => intake.tellDisabled(event) },
});
