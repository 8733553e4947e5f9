/** Milliseconds; 0 is no limit. */
export interface Timeouts {
  /** Until the head of a response, by default 30 s. `fetch` does not tell connecting from waiting. Long polls and large bodies have more. */
  connect?: number;
  /** Between two pieces of a body, by default 60 s. */
  read?: number;
  /** For a call with its retries, by default ten minutes. Streams end by their signal instead. */
  total?: number;
}

export interface ResponseInfo {
  status: number;
  headers: Headers;
  requestId: string | undefined;
}

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** A number is the total. */
  timeout?: Timeouts | number;
  maxRetries?: number;
  /** By default one for each call, which its retries share. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  /** Called with the head of each response that is no error. */
  onResponse?: (info: ResponseInfo) => void;
}

/** A request that is sent again after a pause. */
export interface Retry {
  error: unknown;
  /** The number of times that the request was sent. */
  attempts: number;
  pauseMs: number;
}

export interface ClientOptions {
  /** By default `PARLANCE_BASE_URL`, or else `http://127.0.0.1:3000`. */
  baseUrl?: string;
  /** An API key or an access token. By default `PARLANCE_API_KEY`. */
  apiKey?: string;
  timeout?: Timeouts | number;
  /** Retries of a call after its first attempt, by default 2. */
  maxRetries?: number;
  defaultHeaders?: Record<string, string>;
  fetch?: typeof fetch;
  /** Called before each pause after which a request is sent again. */
  onRetry?: (retry: Retry) => void;
  /** For live sessions where there is no global one, as in Node 20. */
  WebSocket?: typeof WebSocket;
}

const DEFAULTS: Required<Timeouts> = { connect: 30_000, read: 60_000, total: 600_000 };

/** The time-outs of a call: its own, else those of the client, else the defaults. */
export function timeoutsOf(...given: (Timeouts | number | undefined)[]): Required<Timeouts> {
  return Object.assign({ ...DEFAULTS }, ...given.map((each) => (typeof each === 'number' ? { total: each } : each)));
}

/** A variable of the environment, where the runtime has one. */
export function environment(name: string): string | undefined {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
}
