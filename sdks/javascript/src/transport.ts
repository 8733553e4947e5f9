import { Attempt } from './attempt.js';
import { ApiError, ParlanceError, UnexpectedResponseError, withKey, type Problem } from './errors.js';
import { environment, timeoutsOf, type CallOptions, type ClientOptions, type Retry, type Timeouts } from './options.js';
import { pauseBefore, sleep } from './retries.js';

const API = '/api/v1';
const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';
const DEFAULT_RETRIES = 2;
/** A body has a millisecond more for each of so many bytes, which is 32 kB a second. */
const BODY_BYTES_PER_MS = 32;
const EXCERPT_CHARS = 200;

export type QueryValue = string | number | boolean | undefined | null;

export interface Request {
  method: string;
  /** Below `/api/v1`. */
  path: string;
  query?: { [name: string]: QueryValue | readonly QueryValue[] };
  /** Sent as JSON. */
  json?: unknown;
  body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  headers?: Record<string, string | undefined>;
  /** Sends the request where the client has no `fetch` of its own. */
  fetch?: typeof fetch;
  /** Time for which the server may hold the response. */
  heldMs?: number;
}

/** A response whose body is read piece by piece. Leaving the loop closes the connection. */
export interface StreamedResponse extends AsyncIterable<Uint8Array> {
  status: number;
  headers: Headers;
}

/** An answer that was read whole. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}

interface OpenResponse {
  attempt: Attempt;
  response: Response;
  timeouts: Required<Timeouts>;
}

/** Sends requests: credentials, time-outs, retries, errors. */
export class Transport {
  readonly baseUrl: string;
  /** The key is private, so that no inspection of a client shows it. */
  readonly #apiKey: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.baseUrl = (options.baseUrl ?? environment('PARLANCE_BASE_URL') ?? DEFAULT_BASE_URL).replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    this.#apiKey = (options.apiKey ?? environment('PARLANCE_API_KEY') ?? '').trim();
    // Otherwise the error of the runtime would have the key in its message.
    if (/[^\x21-\x7e]/.test(this.#apiKey)) throw new ParlanceError('The API key has characters that a header cannot have.');
  }

  get WebSocket(): typeof WebSocket | undefined {
    return this.#options.WebSocket ?? globalThis.WebSocket;
  }

  /** Waits before a request is sent again. */
  pause(retry: Retry, signal: AbortSignal | undefined): Promise<void> {
    this.#options.onRetry?.(retry);
    return sleep(retry.pauseMs, signal);
  }

  maxRetriesOf({ maxRetries }: CallOptions): number {
    return maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
  }

  /** The value of a JSON answer; undefined where the answer has no body. */
  async json<T>(request: Request, options: CallOptions = {}): Promise<T> {
    return this.#retried(request, options, async (open) => parsed<T>(await readAll(open)));
  }

  /** An answer of any media type. */
  async answer(request: Request, options: CallOptions = {}): Promise<Answer> {
    return this.#retried(request, options, readAll);
  }

  /** An answer that is read while it comes. Only its beginning is retried. */
  async stream(request: Request, options: CallOptions = {}): Promise<StreamedResponse> {
    return this.#retried(request, options, async (open) => streamed(open), true);
  }

  async #retried<T>(request: Request, options: CallOptions, read: (open: OpenResponse) => Promise<T>, isStream = false): Promise<T> {
    // A URL resolves the parts `.` and `..`, and the path of an empty id is that of the list: the request would be another one.
    const [, wrong] = /.\/(\.{0,2})(?=\/|$)/.exec(request.path) ?? [];
    if (wrong !== undefined) throw new ParlanceError(`"${wrong}" is not an id.`);
    const idempotencyKey = request.method === 'POST' ? (options.idempotencyKey ?? newIdempotencyKey()) : undefined;
    const timeouts = timeoutsOf(this.#options.timeout, options.timeout);
    const endsAt = timeouts.total === 0 ? Infinity : performance.now() + timeouts.total;
    const retries = request.body instanceof ReadableStream ? 0 : this.maxRetriesOf(options);
    for (let attempts = 0; ; attempts++) {
      try {
        return await this.#once({ request, options, idempotencyKey, timeouts, endsAt, isStream }, read);
      } catch (error) {
        if (error instanceof ParlanceError) error.attempts = attempts + 1;
        const pause = attempts < retries ? pauseBefore(attempts, error) : undefined;
        if (pause === undefined || performance.now() + pause >= endsAt) throw withKey(error, idempotencyKey);
        await this.pause({ error, attempts: attempts + 1, pauseMs: pause }, options.signal);
      }
    }
  }

  async #once<T>(call: Call, read: (open: OpenResponse) => Promise<T>): Promise<T> {
    const { request, options, timeouts, endsAt, isStream } = call;
    const attempt = new Attempt(options.signal, endsAt, timeouts.total);
    let isKept = false;
    try {
      attempt.expect('connect', connectMs(request, timeouts));
      const response = await attempt.run(() => this.#fetch(call, attempt.signal), `The connection to ${this.baseUrl} failed. Check that the server runs and is at this base URL.`);
      const open = { attempt, response, timeouts };
      if ((!response.ok && response.status !== 304) || isPage(response)) throw this.#refusal(await readAll(open));
      options.onResponse?.({ status: response.status, headers: response.headers, requestId: response.headers.get('x-request-id') ?? undefined });
      if (isStream) attempt.liftTotal();
      const result = await read(open);
      isKept = isStream && response.body !== null;
      return result;
    } finally {
      if (!isKept) attempt.close();
    }
  }

  #refusal(answer: Answer): ApiError {
    const error = errorOf(answer);
    if (error.status === 401 && !this.#apiKey) error.advise('No API key was sent: set PARLANCE_API_KEY, or pass apiKey.');
    return error;
  }

  #fetch({ request, options, idempotencyKey }: Call, signal: AbortSignal): Promise<Response> {
    const { method, json, body = json === undefined ? undefined : JSON.stringify(json) } = request;
    const headers = new Headers({ accept: 'application/json', ...this.#options.defaultHeaders });
    if (this.#apiKey) headers.set('authorization', `Bearer ${this.#apiKey}`);
    if (json !== undefined) headers.set('content-type', 'application/json');
    if (idempotencyKey) headers.set('idempotency-key', idempotencyKey);
    for (const [name, value] of Object.entries({ ...request.headers, ...options.headers })) if (value !== undefined) headers.set(name, value);
    // A redirect makes GET of a POST, and a list may look like the answer to it.
    const init: RequestInit & { duplex?: 'half' } = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }), ...(body instanceof ReadableStream && { duplex: 'half' }) };
    return (this.#options.fetch ?? request.fetch ?? globalThis.fetch)(this.#urlOf(request), init);
  }

  #urlOf({ path, query = {} }: Request): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value].flat()) if (each !== undefined && each !== null) parameters.append(name, String(each));
    }
    return `${this.baseUrl}${API}${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
  }
}

interface Call {
  request: Request;
  options: CallOptions;
  idempotencyKey: string | undefined;
  timeouts: Required<Timeouts>;
  endsAt: number;
  isStream: boolean;
}

/** `crypto.randomUUID` is missing on pages that were not loaded by HTTPS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A path whose values are encoded: path`/transcriptions/${id}`. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

/** A streamed body is sent in its own time. */
function connectMs({ body, heldMs = 0 }: Request, { connect }: Required<Timeouts>): number {
  if (connect === 0 || body instanceof ReadableStream) return 0;
  return connect + heldMs + (body?.length ?? 0) / BODY_BYTES_PER_MS;
}

async function readAll(open: OpenResponse): Promise<Answer> {
  const { status, headers } = open.response;
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(open)) pieces.push(piece);
  return { status, headers, bytes: concatenated(pieces) };
}

export function concatenated(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

async function* piecesOf({ attempt, response, timeouts }: OpenResponse): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  for (let piece; (piece = await attempt.read(reader, timeouts.read)); ) yield piece;
}

function streamed(open: OpenResponse): StreamedResponse {
  const { status, headers } = open.response;
  const iterate = async function* () {
    try {
      yield* piecesOf(open);
    } finally {
      open.attempt.close();
    }
  };
  return { status, headers, [Symbol.asyncIterator]: iterate };
}

function parsed<T>(answer: Answer): T {
  if (answer.bytes.length === 0) return undefined as T;
  const value = jsonOf(answer);
  if (value === undefined) throw unexpected(answer);
  return value as T;
}

/** No answer of the API is HTML: a page comes from a proxy, also with status 200. */
const isPage = ({ headers }: Response): boolean => /^text\/html\b/i.test(headers.get('content-type') ?? '');

function errorOf(answer: Answer): ApiError {
  const problem = jsonOf(answer) as Problem | undefined;
  if (typeof problem?.code === 'string') return new ApiError(answer.status, problem, answer.headers);
  return answer.bytes.length === 0 && answer.status >= 400 ? new ApiError(answer.status, undefined, answer.headers) : unexpected(answer);
}

const unexpected = ({ status, headers, bytes }: Answer) => new UnexpectedResponseError(status, headers, new TextDecoder().decode(bytes).slice(0, EXCERPT_CHARS));

function jsonOf({ bytes }: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
