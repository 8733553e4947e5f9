import type { JobService, SummaryService, TranscriptService } from '@parlance/contracts';
import type { Egress } from '@parlance/egress';
import type { Clock, IdGenerator, Logger, Metrics } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import { CircuitBreaker } from '../src/deliveries/circuit-breaker.js';
import { Deliveries } from '../src/deliveries/deliveries.js';
import { DeliveryAttempts } from '../src/deliveries/delivery-attempts.js';
import { DeliveryIntake } from '../src/deliveries/delivery-intake.js';
import { DeliveryQueue } from '../src/deliveries/delivery-queue.js';
import { DeliveryReports } from '../src/deliveries/delivery-reports.js';
import { DeliveryWorker } from '../src/deliveries/delivery-worker.js';
import { Redeliveries } from '../src/deliveries/redeliveries.js';
import { WebhookEndpoints } from '../src/endpoints/webhook-endpoints.js';
import { AccountEvents } from '../src/events/account-events.js';
import { ReceiverSecrets } from '../src/secrets/receiver-secrets.js';
import { ReceiverOptions } from '../src/sending/receiver-options.js';
import { WebhookContents } from '../src/sending/webhook-contents.js';
import { WebhookSender } from '../src/sending/webhook-sender.js';
import type { DispatcherSettings } from '../src/webhook-dispatcher.config.js';
import { WebhookErasures } from '../src/webhook-erasures.js';

export interface DispatcherOptions {
  documents: DocumentDatabase;
  tasks: TaskQueue;
  egress: Egress;
  metrics: Metrics;
  clock: Clock;
  ids: IdGenerator;
  log: Logger;
  settings: DispatcherSettings;
  jobs: JobService;
  transcripts: TranscriptService;
  summaries: SummaryService;
}

/** The classes of the service as Nest makes them. */
export function createDispatcher({ documents, tasks, egress, clock, ids, log, settings, jobs, transcripts, summaries, ...options }: DispatcherOptions) {
  const events = new AccountEvents(documents, clock);
  const endpoints = new WebhookEndpoints(documents, clock, ids);
  const deliveries = new Deliveries(documents, events);
  const circuits = new CircuitBreaker(documents, clock);
  const queue = new DeliveryQueue(tasks, deliveries, endpoints, clock);
  const secrets = new ReceiverSecrets(documents, endpoints, clock);
  const sender = new WebhookSender(egress, secrets, new ReceiverOptions(endpoints, settings), new WebhookContents(transcripts, summaries, jobs, clock, log), settings, clock, log);
  const reports = new DeliveryReports(options.metrics, deliveries, circuits, log);
  const attempts = new DeliveryAttempts(deliveries, queue, endpoints, sender, reports, settings, clock);
  const worker = new DeliveryWorker(deliveries, circuits, attempts, settings, clock);
  const redeliveries = new Redeliveries(documents, deliveries, queue, tasks, clock);
  const erasures = new WebhookErasures(documents, events, deliveries, redeliveries, settings, tasks, clock);
  const intake = new DeliveryIntake(events, endpoints, deliveries, queue, erasures, clock, ids);
  return { events, endpoints, deliveries, circuits, queue, secrets, sender, worker, redeliveries, erasures, intake };
}
