import type { Egress } from '@parlance/egress';
import { startSpan, type Clock, type Span } from '@parlance/platform';
import type { AttemptResult, WebhookDelivery } from '../deliveries/delivery.js';
import { parseRetryAfter } from '../deliveries/retry-schedule.js';
import type { SigningSecrets } from '../secrets/signing-secrets.js';
import { signatures } from '../secrets/signature.js';
import { explainFailure } from './explain-failure.js';

const MAX_RESPONSE_BYTES = 1024;

export interface WebhookSenderOptions {
  egress: Pick<Egress, 'exchange'>;
  secrets: SigningSecrets;
  clock: Clock;
  /** For connection and answer together. */
  timeoutMs: number;
}

/** Makes one signed try (Standard Webhooks) and says what became of it; never throws for what the receiver does. */
export class WebhookSender {
  constructor(private readonly options: WebhookSenderOptions) {}

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

  private async sendWith(delivery: WebhookDelivery, traceparent: string): Promise<AttemptResult> {
    const { clock, timeoutMs } = this.options;
    const headers = { ...(await this.headers(delivery)), traceparent };
    const attemptedAt = clock.now().toISOString();
    const started = performance.now();
    const elapsed = () => Math.round((performance.now() - started) * 1000) / 1000;
    try {
      const answer = await this.post(delivery, headers);
      return judge(answer, { attemptedAt, latencyMs: elapsed() }, clock.now());
    } catch (error) {
      const { message, final } = explainFailure(error, timeoutMs);
      return { outcome: final ? 'refused' : 'retry', attempt: { attemptedAt, error: message, latencyMs: elapsed(), responseBody: '' } };
    }
  }

  private async post({ url, body }: WebhookDelivery, headers: Record<string, string>): Promise<Answer> {
    const { egress, timeoutMs } = this.options;
    const answer = await egress.exchange(url, { method: 'POST', headers, body, timeoutMs, maxBytes: MAX_RESPONSE_BYTES });
    const retryAfter = answer.headers['retry-after'];
    return {
      statusCode: answer.statusCode,
      body: textOf(answer.body),
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    };
  }

  private async headers({ accountId, eventId, body }: WebhookDelivery): Promise<Record<string, string>> {
    const { secret, retired } = await this.options.secrets.forSigning(accountId);
    const timestamp = Math.floor(this.options.clock.now().getTime() / 1000);
    const secrets = [secret, ...retired.map((before) => before.secret)];
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
