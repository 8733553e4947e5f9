import type { Egress } from '@parlance/egress';
import type { Clock, IdGenerator, Logger, Metrics } from '@parlance/platform';
import { JobErasures } from '@parlance/runtime';
import type { DocumentDatabase } from '@parlance/storage';
import { Deliveries } from './deliveries/deliveries.js';
import { DeliveryIntake } from './deliveries/delivery-intake.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { ReceiverTurns } from './deliveries/receiver-turn.js';
import { Receivers } from './deliveries/receivers.js';
import { WebhookEndpoints } from './endpoints/webhook-endpoints.js';
import { AccountEvents } from './events/account-events.js';
import { Retention } from './events/retention.js';
import { SigningSecrets } from './secrets/signing-secrets.js';
import { WebhookSender } from './sending/webhook-sender.js';

export interface DispatcherOptions {
  documents: DocumentDatabase;
  egress: Egress;
  metrics: Metrics;
  clock: Clock;
  ids: IdGenerator;
  log: Logger;
  /** 0 ≤ random < 1. */
  random: () => number;
  scheduleSeconds: readonly number[];
  timeoutMs: number;
  concurrency: number;
  retentionDays: number;
  slowAfterMs?: number;
  firstTryMs?: number;
}

/** The parts of the service, wired. */
export function createDispatcher(options: DispatcherOptions) {
  const { documents, egress, clock, ids, log, random, scheduleSeconds, timeoutMs, retentionDays: days } = options;
  const events = new AccountEvents(documents, clock);
  const endpoints = new WebhookEndpoints(documents, clock, ids);
  const deliveries = new Deliveries(documents, events, clock);
  const receivers = new Receivers(documents, clock);
  const secrets = new SigningSecrets(documents, clock);
  const sender = new WebhookSender({ egress, secrets, clock, timeoutMs });
  const metrics = new DeliveryMetrics(options.metrics, { pending: () => deliveries.countPending(), resting: () => receivers.countResting() });
  const turns = new ReceiverTurns({ deliveries, endpoints, receivers, sender, metrics, clock, log, random, scheduleSeconds });
  const { concurrency, slowAfterMs, firstTryMs } = options;
  const queue = new DeliveryQueue({ receivers, turns, clock, log, timeoutMs, concurrency, ...(slowAfterMs !== undefined && { slowAfterMs }) });
  const holdings = {
    what: 'webhook_payloads',
    count: async (jobId: string) => (await deliveries.count(jobId)) + (await events.count(jobId)),
    remove: async (jobId: string) => {
      await events.erase(jobId);
      await deliveries.removeOfJob(jobId);
    },
  };
  const erasures = new JobErasures('webhook-dispatcher', documents, holdings, clock);
  const intake = new DeliveryIntake({ events, endpoints, deliveries, receivers, erasures, clock, ids, queue, ...(firstTryMs !== undefined && { firstTryMs }) });
  const retention = new Retention({ events, deliveries, clock, log, days });
  return { events, endpoints, deliveries, receivers, secrets, queue, erasures, intake, retention };
}
