import type { Egress } from '@parlance/egress';
import type { Clock } from '@parlance/platform';
import type { AttemptResult, WebhookDelivery } from '../deliveries/delivery.js';
import { parseRetryAfter } from '../deliveries/retry-schedule.js';
import type { SigningSecrets } from '../secrets/signing-secrets.js';
import { signatures } from '../secrets/signature.js';
import { explainFailure } from './explain-failure.js';

const MAX_RESPONSE_BYTES = 1024;

export interface WebhookSenderOptions {
  egress: Pick<Egress, 'request'>;
  secrets: SigningSecrets;
  clock: Clock;
  /** For connection and answer together. */
  timeoutMs: number;
}

/** Makes one signed try (Standard Webhooks) and says what became of it; never throws for what the receiver does. */
export class WebhookSender {
  constructor(private readonly options: WebhookSenderOptions) {}

  async send(delivery: WebhookDelivery): Promise<AttemptResult> {
    const { clock, timeoutMs } = this.options;
    const headers = await this.headers(delivery);
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
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    const response = await this.options.egress.request(url, { method: 'POST', headers, body, signal });
    const retryAfter = response.headers['retry-after'];
    return {
      statusCode: response.statusCode,
      body: await firstKilobyte(response.body),
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    };
  }

  private async headers({ accountId, eventId, body }: WebhookDelivery): Promise<Record<string, string>> {
    const { secret, previous } = await this.options.secrets.get(accountId);
    const timestamp = Math.floor(this.options.clock.now().getTime() / 1000);
    const secrets = previous ? [secret, previous.secret] : [secret];
    return {
      'content-type': 'application/json',
      'user-agent': 'Parlance-Webhooks/1',
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(secrets, { id: eventId, timestamp, body }),
      // A kept connection that the receiver has just closed would look like a failed try.
      connection: 'close',
    };
  }
}

interface Answer {
  statusCode: number;
  body: string;
  retryAfter: string | undefined;
}

function judge({ statusCode, body, retryAfter }: Answer, timing: { attemptedAt: string; latencyMs: number }, now: Date): AttemptResult {
  const attempt = { ...timing, statusCode, responseBody: body };
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', attempt };
  if (statusCode === 410) return { outcome: 'gone', attempt: { ...attempt, error: 'The receiver answered 410: it wants no more webhooks of this job.' } };
  const redirect = statusCode >= 300 && statusCode < 400;
  const error = redirect ? `The receiver redirects (${statusCode}); redirects are not followed.` : `The receiver answered ${statusCode}.`;
  const retryAfterSeconds = parseRetryAfter(retryAfter, now);
  return { outcome: 'retry', attempt: { ...attempt, error }, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** The status has decided already, so whatever goes wrong while the body comes only shortens it. Leaving the loop closes the connection. */
async function firstKilobyte(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body) {
      const part = chunk.subarray(0, MAX_RESPONSE_BYTES - bytes);
      text += decoder.decode(part, { stream: true });
      bytes += part.length;
      if (bytes === MAX_RESPONSE_BYTES) break;
    }
  } catch {
    return text;
  }
  return text;
}
