import { Inject, Injectable } from '@nestjs/common';
import { errorCode, noAnswerReason, type Egress, type NoAnswerReason } from '@parlance/egress';
import { AppError, isOutage, startSpan, type Clock, type Logger, type Span } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import type { AttemptResult, WebhookDelivery } from '../deliveries/delivery.js';
import { parseRetryAfter } from '../deliveries/retry-schedule.js';
import { ReceiverOptions } from './receiver-options.js';
import { WebhookContents } from './webhook-contents.js';
import { ReceiverSecrets } from '../secrets/receiver-secrets.js';
import { signatures } from '../secrets/signing-secret.js';
import { DispatcherSettings } from '../webhook-dispatcher.config.js';

/** The `Egress` that webhooks are sent through. */
export const EGRESS = Symbol('Egress');

const MAX_RESPONSE_BYTES = 1024;
/** Another attempt may succeed: the operator can set the earlier key again. */
const SEALED_HEADERS = 'The headers for this receiver were sealed with another SECRETS_KEY. Give them again.';
/** The endpoint was deleted after the delivery was read. */
const NO_SECRET = 'The endpoint was deleted, so there is no secret to sign with.';

/**
 * Makes one signed attempt (Standard Webhooks) and returns its result, whatever the receiver does.
 * Throws for an outage of our own, such as used-up descriptors: it is no attempt, and must not count against the receiver.
 */
@Injectable()
export class WebhookSender {
  constructor(
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(ReceiverSecrets) private readonly secrets: ReceiverSecrets,
    @Inject(ReceiverOptions) private readonly options: ReceiverOptions,
    @Inject(WebhookContents) private readonly contents: WebhookContents,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @param signal aborts when the delivery is not to be sent any more */
  async send(delivery: WebhookDelivery, signal: AbortSignal): Promise<AttemptResult> {
    const span = webhookSpan(delivery);
    try {
      const result = await span.run(() => this.sendWith(delivery, span.traceparent, signal));
      span.set({ 'http.response.status_code': result.attempt.statusCode, 'parlance.outcome': result.outcome });
      span.end(result.outcome === 'delivered' ? undefined : result.outcome);
      return result;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }

  private async sendWith(delivery: WebhookDelivery, traceparent: string, signal: AbortSignal): Promise<AttemptResult> {
    const signers = await this.secrets.forDelivery(delivery);
    const attemptedAt = this.clock.now().toISOString();
    if (signers.length === 0) return { outcome: 'refused', attempt: { attemptedAt, error: NO_SECRET, latencyMs: 0, responseBody: '' } };
    const { headers: own, include } = await this.options.forDelivery(delivery);
    if (!own) return { outcome: 'retry', attempt: { attemptedAt, error: SEALED_HEADERS, latencyMs: 0, responseBody: '' } };
    return this.contents.send(delivery, include, signal, (body) => this.post({ ...delivery, body }, { ...own, traceparent }, signers));
  }

  private async post(delivery: WebhookDelivery, own: Readonly<Record<string, string>>, signers: readonly string[]): Promise<AttemptResult> {
    const { timeoutMs } = this.settings;
    const attemptedAt = this.clock.now().toISOString();
    const started = performance.now();
    const elapsed = () => Math.round((performance.now() - started) * 1000) / 1000;
    try {
      const headers = { ...own, ...this.headers(delivery, signers) };
      const answer = await this.egress.exchange(delivery.url, { method: 'POST', headers, body: delivery.body, timeoutMs, maxBytes: MAX_RESPONSE_BYTES });
      return resultOf(answer, { attemptedAt, latencyMs: elapsed() }, this.clock.now());
    } catch (error) {
      if (isOutage(error)) throw error;
      const { message, final } = explainFailure(error, timeoutMs);
      this.log.info({ delivery_id: delivery.id, job_id: delivery.jobId, reason: errorCode(error) }, 'webhook attempt failed');
      // The time that it took would distinguish a closed port from a filtered one.
      return { outcome: final ? 'refused' : 'retry', attempt: { attemptedAt, error: message, latencyMs: final ? elapsed() : timeoutMs, responseBody: '' } };
    }
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

type Answer = Awaited<ReturnType<Egress['exchange']>>;

function resultOf({ statusCode, body, headers }: Answer, timing: { attemptedAt: string; latencyMs: number }, now: Date): AttemptResult {
  // A character that was cut off at the end is left out.
  const attempt = { ...timing, statusCode, responseBody: new TextDecoder().decode(body, { stream: true }) };
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', attempt };
  if (statusCode === 410) return { outcome: 'gone', attempt: { ...attempt, error: 'The receiver answered 410: it wants no more webhooks.' } };
  const redirect = statusCode >= 300 && statusCode < 400;
  const error = redirect ? `The receiver redirects (${statusCode}); redirects are not followed.` : `The receiver answered ${statusCode}.`;
  const retryAfterSeconds = parseRetryAfter([headers['retry-after']].flat()[0], now);
  return { outcome: 'retry', attempt: { ...attempt, error }, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** Explains to the account's owner why there was no answer: no addresses, no stack. `final`: another attempt would end the same way. */
export function explainFailure(thrown: unknown, timeoutMs: number): { message: string; final: boolean } {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof AppError) return { message: `${error.code}: ${error.message}`, final: !error.retryable };
  }
  return { message: EXPLANATIONS[noAnswerReason(thrown)](timeoutMs / 1000), final: false };
}

const EXPLANATIONS: Record<NoAnswerReason, (seconds: number) => string> = {
  unknown_host: () => 'The host name cannot be resolved.',
  untrusted_certificate: () => 'The certificate of the receiver is not trusted.',
  no_answer: (seconds) => `No HTTP answer within ${seconds} s: the receiver is unreachable, refuses or drops connections, or is too slow.`,
};
