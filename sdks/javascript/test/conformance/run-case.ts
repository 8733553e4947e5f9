import { inspect } from 'node:util';
import { ApiError, ConnectionError, JobFailedError, LiveSessionError, Parlance, ParlanceError, TimeoutError, UnexpectedResponseError, WebhookVerificationError } from '../../src/index.js';
import { CALLS } from './calls.js';
import type { Case, FaultServer } from './fault-server.js';

const API_KEY = 'pl_conformance';

export interface Outcome {
  result?: unknown;
  error?: Record<string, unknown>;
  progress: number[];
  faults: string[];
  /** Whether a printed form of the error has the API key. */
  isKeyShown: boolean;
}

/** The client of a case, and the Idempotency-Keys that it sends. */
export function clientOf({ client: given = {} }: Case, url: string, send = fetch): { client: Parlance; keys: Set<string> } {
  const { max_retries: maxRetries, timeout, default_headers: defaultHeaders, api_key: apiKey = API_KEY, base_url_suffix: suffix = '' } = given;
  const keys = new Set<string>();
  const watched: typeof fetch = (input, init) => {
    const key = new Headers(init?.headers).get('idempotency-key');
    if (key) keys.add(key);
    return send(input, init);
  };
  return { client: new Parlance({ baseUrl: url + suffix, apiKey, maxRetries, timeout, defaultHeaders, fetch: watched }), keys };
}

/** Makes the call of a case against the fault server. @param send the `fetch` of the client */
export async function runCase(server: FaultServer, played: Case, send?: typeof fetch): Promise<Outcome> {
  const { run, base_url: baseUrl } = await server.begin(played.name);
  const { client, keys } = clientOf(played, baseUrl, send);
  const progress: number[] = [];
  const call = CALLS[played.call];
  if (!call) throw new Error(`This runner has no call ${played.call}.`);
  try {
    const result = await collected(await call(client, played.params, optionsOf(played, progress)), played.options?.['take']);
    return { result, progress, faults: await server.faults(run), isKeyShown: false };
  } catch (error) {
    return { error: described(error, keys), progress, faults: await server.faults(run), isKeyShown: isShown(error, API_KEY) };
  }
}

/** Whether a printed form of the error has the text. */
export function isShown(error: unknown, text: string): boolean {
  return `${inspect(error, { depth: 10 })} ${String((error as Error).stack)} ${JSON.stringify(error)}`.includes(text);
}

function optionsOf({ options = {} }: Case, progress: number[]): object {
  const { max_retries: maxRetries, idempotency_key: idempotencyKey, last_event_id: lastEventId, file_name: fileName, cancel_after: cancelAfter, progress: isWatched, take: _, ...same } = options;
  return {
    ...same,
    ...(maxRetries !== undefined && { maxRetries }),
    idempotencyKey,
    lastEventId,
    fileName,
    ...(typeof cancelAfter === 'number' && { signal: AbortSignal.timeout(cancelAfter) }),
    ...(isWatched === true && {
      onProgress: (news: { sentBytes?: number; progress?: { percent: number } }) => progress.push(news.sentBytes ?? news.progress?.percent ?? Number.NaN),
    }),
  };
}

async function collected(result: unknown, take: unknown): Promise<unknown> {
  if (result instanceof Uint8Array) return { bytes: result.length };
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  const items: unknown[] = [];
  for await (const item of result as AsyncIterable<unknown>) {
    items.push(item);
    if (items.length === take) break;
  }
  return items;
}

const TYPES = [
  ['unexpected_response', UnexpectedResponseError],
  ['api', ApiError],
  ['connection', ConnectionError],
  ['timeout', TimeoutError],
  ['job_failed', JobFailedError],
  ['webhook_verification', WebhookVerificationError],
  ['live', LiveSessionError],
  ['argument', ParlanceError],
] as const;

/** The error as cases describe it. */
export function described(error: unknown, sentKeys: Set<string>): Record<string, unknown> {
  const [type] = TYPES.find(([, kind]) => error instanceof kind) ?? [error instanceof DOMException ? 'canceled' : `unknown: ${inspect(error)}`];
  const { requestId, jobId, idempotencyKey, message, ...rest } = error as ApiError & TimeoutError;
  const isSent = idempotencyKey !== undefined && sentKeys.size === 1 && sentKeys.has(idempotencyKey);
  return { ...rest, type, message, request_id: requestId, job_id: jobId, idempotency_key: isSent ? 'sent' : idempotencyKey };
}
