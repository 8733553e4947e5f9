import { Inject, Injectable } from '@nestjs/common';
import { asyncGauge, type Logger, type Metrics } from '@parlance/platform';
import { LOGGER, METRICS } from '@parlance/runtime';
import { Counter, Histogram } from 'prom-client';
import { CircuitBreaker } from './circuit-breaker.js';
import { Deliveries, type ChangedDelivery } from './deliveries.js';
import type { AttemptResult, WebhookDelivery } from './delivery.js';

/** Reports attempts and ends of deliveries in the metrics and the log. */
@Injectable()
export class DeliveryReports {
  private readonly ended: Counter<'status'>;
  private readonly attempts: Histogram<'outcome'>;

  constructor(
    @Inject(METRICS) registry: Metrics,
    @Inject(Deliveries) deliveries: Deliveries,
    @Inject(CircuitBreaker) circuits: CircuitBreaker,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.ended = new Counter({
      name: 'parlance_webhook_deliveries_total',
      help: 'Webhook deliveries that came to an end, by status',
      labelNames: ['status'],
      registers: [registry],
    });
    this.attempts = new Histogram({
      name: 'parlance_webhook_attempt_seconds',
      help: 'Time from request to answer of webhook attempts, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers: [registry],
    });
    const pending = { name: 'parlance_webhook_pending', help: 'Webhook deliveries that wait for an attempt' };
    asyncGauge(registry, pending, async (gauge) => gauge.set(await deliveries.countPending()));
    const open = { name: 'parlance_webhook_circuits_open', help: 'Receivers that keep failing, and get one webhook now and then' };
    asyncGauge(registry, open, async (gauge) => gauge.set(await circuits.countOpen()));
  }

  /** @param changed undefined when the delivery was erased meanwhile. */
  attempted({ id, jobId, accountId, eventId, eventType }: WebhookDelivery, { attempt, outcome }: AttemptResult, changed: ChangedDelivery | undefined): void {
    const { statusCode, error, latencyMs } = attempt;
    this.attempts.observe({ outcome }, latencyMs / 1000);
    this.changed(changed);
    this.log.info({ job_id: jobId, account_id: accountId, event_id: eventId, event_type: eventType, delivery_id: id, status_code: statusCode, error, latency_ms: latencyMs, status: changed?.after.status }, 'webhook tried');
  }

  /** @param changed undefined when the delivery was erased meanwhile. */
  changed(changed: ChangedDelivery | undefined): void {
    if (changed?.isEnd) this.ended.inc({ status: changed.after.status });
  }
}
