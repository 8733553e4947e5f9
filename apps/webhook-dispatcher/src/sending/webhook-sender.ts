import { Inject, Injectable } from '@nestjs/common';
import { errorCode, type Egress } from '@parlance/egress';
import { isOutage, startSpan, type Clock, type Logger, type Span } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import type { AttemptResult, WebhookDelivery } from '../deliveries/delivery.js';
import { DispatcherSettings } from '../dispatcher-settings.js';
import { parseRetryAfter } from '../deliveries/retry-schedule.js';
import { ReceiverSecrets } from '../secrets/receiver-secrets.js';
import { signatures } from '../secrets/signing-secret.js';
import { EGRESS } from './egress.provider.js';
import { explainFailure } from './explain-failure.js';

const MAX_RESPONSE_BYTES = 1024;

/**
 * Makes one signed try (Standard Webhooks) and returns its result, whatever the receiver does.
 * Throws for an outage of our own, such as used-up descriptors: it is no try, and must not count against the receiver.
 */
@Injectable()
export class WebhookSender {
  constructor(
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(ReceiverSecrets) private readonly secrets: ReceiverSecrets,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async send(delivery: WebhookDelivery): Promise<AttemptResult> {
    const span = webhookSpan(delivery);
    try {
      const result = await span.run(() => this.sendWith(delivery, span.traceparent));
      span.set({ 'http.response.status_code': result.attempt.statusCode, 'parlance.outcome': result.outcome });
      span.end(result.outcome === 'delivered' ? undefined : result.outcome);
      return result;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.egress.close();
  }

  private async sendWith(delivery: WebhookDelivery, traceparent: string): Promise<AttemptResult> {
    const { timeoutMs } = this.settings;
    const signers = await this.secrets.forDelivery(delivery);
    const attemptedAt = this.clock.now().toISOString();
    if (signers.length === 0) return unsigned(attemptedAt);
    const headers = { ...this.headers(delivery, signers), traceparent };
    const started = performance.now();
    const elapsed = () => Math.round((performance.now() - started) * 1000) / 1000;
    try {
      const answer = await this.post(delivery, headers);
      return judge(answer, { attemptedAt, latencyMs: elapsed() }, this.clock.now());
    } catch (error) {
      if (isOutage(error)) throw error;
      const { message, final } = explainFailure(error, timeoutMs);
      this.log.info({ delivery_id: delivery.id, job_id: delivery.jobId, reason: errorCode(error) }, 'webhook attempt failed');
      // The time that it took would distinguish a closed port from a filtered one.
      return { outcome: final ? 'refused' : 'retry', attempt: { attemptedAt, error: message, latencyMs: final ? elapsed() : timeoutMs, responseBody: '' } };
    }
  }

  private async post({ url, body }: WebhookDelivery, headers: Record<string, string>): Promise<Answer> {
    const answer = await this.egress.exchange(url, { method: 'POST', headers, body, timeoutMs: this.settings.timeoutMs, maxBytes: MAX_RESPONSE_BYTES });
    const retryAfter = answer.headers['retry-after'];
    return {
      statusCode: answer.statusCode,
      body: textOf(answer.body),
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    };
  }

  private headers({ eventId, body }: WebhookDelivery, secrets: readonly string[]): Record<string, string> {
    const timestamp = Math.floor(this.clock.now().getTime() / 1000);
    return {
      'content-type': 'application/json',
      'user-agent': 'Parlance-Webhooks/1',
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(secrets, { id: eventId, timestamp, body }),
    };
  }
}

/** The endpoint was deleted after the delivery was read, and its secret with it. */
const unsigned = (attemptedAt: string): AttemptResult => ({
  outcome: 'refused',
  attempt: { attemptedAt, error: 'The endpoint was deleted, so there is no secret to sign with.', latencyMs: 0, responseBody: '' },
});

/** Without the path of the address, which may hold a secret. */
const webhookSpan = ({ url, traceparent, jobId, eventType, tries }: WebhookDelivery): Span =>
  startSpan('POST webhook', {
    kind: 'client',
    parent: traceparent ?? 'none',
    attributes: () => ({
      'http.request.method': 'POST',
      'server.address': URL.parse(url)?.hostname,
      'parlance.job_id': jobId,
      'parlance.event_type': eventType,
      'http.request.resend_count': tries,
    }),
  });

interface Answer {
  statusCode: number;
  body: string;
  retryAfter: string | undefined;
}

function judge({ statusCode, body, retryAfter }: Answer, timing: { attemptedAt: string; latencyMs: number }, now: Date): AttemptResult {
  const attempt = { ...timing, statusCode, responseBody: body };
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', attempt };
  if (statusCode === 410) return { outcome: 'gone', attempt: { ...attempt, error: 'The receiver answered 410: it wants no more webhooks.' } };
  const redirect = statusCode >= 300 && statusCode < 400;
  const error = redirect ? `The receiver redirects (${statusCode}); redirects are not followed.` : `The receiver answered ${statusCode}.`;
  const retryAfterSeconds = parseRetryAfter(retryAfter, now);
  return { outcome: 'retry', attempt: { ...attempt, error }, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** A character that was cut off at the end is left out. */
const textOf = (bytes: Buffer): string => (bytes.length === 0 ? '' : new TextDecoder().decode(bytes, { stream: true }));
