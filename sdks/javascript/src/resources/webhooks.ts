import { WebhookVerificationError } from '../errors.js';
import type { CallOptions } from '../options.js';
import { Pages } from '../pages.js';
import type { Schemas, WebhookEvent } from '../schemas.js';
import { path, type Transport } from '../transport.js';

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

type HeaderBag = Headers | Record<string, string | readonly string[] | undefined>;

export interface VerifyOptions {
  /** Seconds by which the time of the attempt may differ, by default 300. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970. */
  now?: number;
}

/**
 * Verifies a webhook by Standard Webhooks, and reads its body.
 * @param rawBody the body as it arrived: text or bytes, before any parser
 * @param secret as `whsec_…`, or the answer that has it as `secret`
 * @throws WebhookVerificationError when the webhook is not from the owner of the secret, was changed, or is old
 */
export async function verifyWebhook<Event = WebhookEvent>(rawBody: string | Uint8Array | ArrayBuffer, headers: HeaderBag, secret: string | { secret: string }, options: VerifyOptions = {}): Promise<Event> {
  const body = bodyBytes(rawBody);
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => header(headers, name));
  if (!id || !time || !signatures) throw new WebhookVerificationError('The request has no headers webhook-id, webhook-timestamp and webhook-signature.');
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now() } = options;
  // Also refuses what is no number.
  if (!(Math.abs(now / 1000 - Number(time)) <= toleranceSeconds)) throw new WebhookVerificationError(`The webhook is not of the last ${toleranceSeconds} seconds. Check the clock.`);
  const key = await crypto.subtle.importKey('raw', secretBytes(typeof secret === 'string' ? secret : secret.secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${time}.`), ...body]);
  for (const each of signatures.split(' ')) {
    const [version, signature = ''] = each.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(signature) ?? new Uint8Array(), signed))) return JSON.parse(new TextDecoder().decode(body)) as Event;
  }
  throw new WebhookVerificationError('No signature is made with the secret. Check that the body is the raw one, and the secret that of the endpoint.');
}

function bodyBytes(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new WebhookVerificationError('The raw body is needed, as text or bytes: a parsed object cannot be verified. With Express, use express.raw({ type: "application/json" }).');
}

function header(headers: HeaderBag, wanted: string): string | undefined {
  if (headers instanceof Headers) return headers.get(wanted) ?? undefined;
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? [];
  return typeof value === 'object' ? value.join(' ') : value;
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (!bytes?.length) throw new WebhookVerificationError('The secret is not one of webhooks: whsec_ and base64.');
  return bytes;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

type NewEndpoint = Schemas['NewWebhookEndpoint'];
type Endpoint = Schemas['WebhookEndpoint'];

export class WebhookEndpoints {
  constructor(private readonly transport: Transport) {}

  /** The answer has the `secret` of the endpoint. */
  create(endpoint: NewEndpoint, options?: CallOptions): Promise<Schemas['CreatedWebhookEndpoint']> {
    return this.transport.json({ method: 'POST', path: '/webhook-endpoints', json: endpoint }, options);
  }

  list(options?: CallOptions): Pages<Endpoint> {
    return new Pages((cursor) => this.transport.json<Schemas['WebhookEndpointPage']>({ method: 'GET', path: '/webhook-endpoints', query: { cursor } }, options));
  }

  delete(endpointId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: path`/webhook-endpoints/${endpointId}` }, options);
  }
}

export class Webhooks {
  readonly verify = verifyWebhook;
  readonly endpoints: WebhookEndpoints;

  constructor(private readonly transport: Transport) {
    this.endpoints = new WebhookEndpoints(transport);
  }

  /** The secret of webhooks to a `callback_url`, in `secret`. `verify` takes the answer as it is. */
  secret(url?: string, options?: CallOptions): Promise<Schemas['WebhookSecret']> {
    return this.transport.json({ method: 'GET', path: '/webhook-secret', query: { url } }, options);
  }
}
