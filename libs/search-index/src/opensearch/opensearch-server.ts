import { readFileSync } from 'node:fs';
import { Client } from '@opensearch-project/opensearch';
import { AppError, ConfigError, pause, retryDelay, silentLogger, type Backoff, type Logger } from '@parlance/platform';
import { fromOpenSearchError, isAway, isRefusal } from './opensearch-errors.js';
import type { OpenSearchUrl } from './opensearch-url.js';

interface OpenSearchServerOptions {
  url: OpenSearchUrl;
  password?: string | undefined;
  log?: Logger | undefined;
  random?: () => number;
}

interface ServerRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  path: string;
  query?: Record<string, string | number | boolean>;
  body?: object;
  /** The lines of a bulk or of several searches. */
  lines?: readonly object[];
  /** Statuses that are an answer, beside those of success. */
  accept?: readonly number[];
}

/** The time for which a call is retried while the server is unavailable, and the time-out of one attempt; milliseconds. */
interface CallTimeouts {
  tries: number;
  request: number;
}

/** Searches are retried for a shorter time than writes, since a user waits for them. */
export const SEARCHING: CallTimeouts = { tries: 3_000, request: 10_000 };
export const WRITING: CallTimeouts = { tries: 30_000, request: 60_000 };
/** A copy polls its task, each time for up to ten seconds. */
export const WAITING: CallTimeouts = { tries: 60_000, request: 60_000 };
const CHECKING: CallTimeouts = { tries: 0, request: 2_000 };

const RETRY: Backoff = { initialDelayMs: 100, maxDelayMs: 5_000 };
const START_RETRY: Backoff = { initialDelayMs: 500, maxDelayMs: 15_000 };

/** Sends requests to the server, and repeats them when it is unavailable. All requests are idempotent. */
export class OpenSearchServer {
  private readonly client: Client;
  private readonly log: Logger;
  private readonly random: () => number;
  private readonly closing = new AbortController();

  constructor({ url, password = url.password, log, random = Math.random }: OpenSearchServerOptions) {
    this.log = (log ?? silentLogger()).child({ search: url.node });
    this.random = random;
    this.client = new Client({
      node: url.node,
      maxRetries: 0,
      ...(url.user !== undefined && { auth: { username: url.user, password: password ?? '' } }),
      ...(url.ca !== undefined && { ssl: { ca: certificate(url.ca) } }),
    });
  }

  /** @throws AppError search_unavailable, and others by what the server answers */
  async call<T>(request: ServerRequest, timeouts: CallTimeouts): Promise<T> {
    const started = performance.now();
    for (let failures = 1; ; failures += 1) {
      try {
        return (await this.request(request, timeouts.request)) as T;
      } catch (error) {
        const waitMs = this.waitAfter(failures, RETRY);
        if (this.closing.signal.aborted) throw closed();
        if (!isAway(error) || performance.now() - started + waitMs > timeouts.tries) throw fromOpenSearchError(error);
        await this.pause(waitMs);
      }
    }
  }

  /**
   * Waits for the server, with a log line for each attempt that distinguishes a refusal from absence; returns when it answers
   * or `close` is called.
   */
  async connect(): Promise<void> {
    for (let failures = 1; !this.closing.signal.aborted; failures += 1) {
      try {
        await this.request({ method: 'GET', path: '/' }, CHECKING.request);
        this.log.info('search server available');
        return;
      } catch (error) {
        if (this.closing.signal.aborted) return;
        const waitMs = this.waitAfter(failures, START_RETRY);
        const saying = isRefusal(error) ? 'search server refused the user or its password; trying again' : 'search server unavailable; trying again';
        this.log.warn({ reason: reasonOf(error), failures, retry_in_ms: Math.round(waitMs) }, saying);
        await this.pause(waitMs);
      }
    }
  }

  /** @throws AppError when the server or what it is asked for is not there now */
  async check(request: ServerRequest): Promise<void> {
    await this.call(request, CHECKING);
  }

  /** Waits before another try. Ends early with `close`. */
  async pause(milliseconds: number): Promise<void> {
    await pause(milliseconds, this.closing.signal);
  }

  waitAfter(failures: number, backoff = RETRY): number {
    return retryDelay(failures, backoff, this.random());
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.client.close();
  }

  private async request({ method, path, query, body, lines, accept }: ServerRequest, requestTimeout: number): Promise<unknown> {
    if (this.closing.signal.aborted) throw closed();
    const params = { method, path, ...(query && { querystring: query }), ...(body && { body }), ...(lines && { bulkBody: lines as Record<string, unknown>[] }) };
    return (await this.client.transport.request(params, { requestTimeout, maxRetries: 0, ignore: [...(accept ?? [])] })).body;
  }
}

function certificate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`SEARCH_URL: cannot read ca=${path} (${(error as NodeJS.ErrnoException).code ?? 'error'})`]);
  }
}

/** Class and message of the client, which name hosts but neither user nor password. */
const reasonOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : 'unknown');

const closed = () => new AppError({ kind: 'unavailable', code: 'search_closed', message: 'The search index is closed.' });
