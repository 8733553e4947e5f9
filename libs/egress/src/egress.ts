import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { AppError } from '@parlance/platform';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { createAddressPolicy, type AddressPolicy } from './address-policy.js';
import { parseCidrs } from './address-range.js';
import { OpenConnections } from './open-connections.js';
import { shortExchange, type ShortAnswer, type ShortExchangeLimits } from './short-exchange.js';
import { wholeAnswer } from './whole-answer.js';

export interface EgressOptions {
  /** CIDR blocks that may be reached although they are not public: `EGRESS_ALLOW`. */
  allow: readonly string[];
  /** Every address of a name. Default: the system's resolver. */
  lookup?: AddressLookup;
  /** Milliseconds for name look-up, TCP and TLS together. Default 10 s. */
  connectTimeoutMs?: number;
  /** Milliseconds that an idle connection is kept for the next request, less when the server says so. Default 4 s. */
  keepAliveMs?: number;
}

export type AddressLookup = (
  hostname: string,
  options: { family?: number; hints?: number; all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface EgressRequest {
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Milliseconds until the answer's head is there. */
  headersTimeoutMs?: number;
  /** Milliseconds between two pieces of the answer's body; a reader that pauses does not count. */
  bodyTimeoutMs?: number;
}

export interface ExchangeRequest extends ShortExchangeLimits {
  method: 'GET' | 'HEAD' | 'POST';
  headers: Record<string, string>;
  body: string;
}

/** The only way to an address that a caller chose (media, webhooks): a guard against server-side request forgery. */
export interface Egress {
  /**
   * For undici's `request` and `fetch`. Names are resolved and checked when a socket is opened, and the socket goes to
   * exactly the addresses that were checked, so a name that changes its mind (DNS rebinding) gains nothing.
   */
  agent: Dispatcher;
  /**
   * What can be said without a look-up; for literal addresses that is everything, whatever way they are written.
   * @throws AppError `address_forbidden`, or `invalid_url`: neither http nor https, or with credentials
   * (they would lie in the job and in logs; a presigned URL is the way).
   */
  assertAllowedUrl(url: string | URL): URL;
  /** One request, one answer: redirects are not followed, nothing is decompressed. @throws like assertAllowedUrl, or undici's errors. */
  request(url: string | URL, options: EgressRequest): Promise<Dispatcher.ResponseData>;
  /**
   * The same for small answers, at a fraction of the cost. A kept connection that the server closes just then says nothing of
   * the server: the request is made once more, on another. @throws like request; DOMException TimeoutError
   */
  exchange(url: string, options: ExchangeRequest): Promise<ShortAnswer>;
  close(): Promise<void>;
}

/** @throws RangeError when `allow` holds something that is no CIDR block. */
export function createEgress({ allow, lookup = systemLookup, connectTimeoutMs = 10_000, keepAliveMs = 4_000 }: EgressOptions): Egress {
  const policy = createAddressPolicy(parseCidrs(allow));
  const connections = new OpenConnections();
  const connect = connections.watch(guardedConnector(policy, lookup, connectTimeoutMs));
  const kept = { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs };
  const plainAgent = new Agent({ connect, allowH2: false, ...kept });
  const agent = plainAgent.compose(wholeAnswer);
  const assertAllowedUrl = (url: string | URL) => checkUrl(policy, url);
  return {
    agent,
    assertAllowedUrl,
    async request(url, { headersTimeoutMs, bodyTimeoutMs, ...options }) {
      return request(assertAllowedUrl(url), {
        ...options,
        ...(headersTimeoutMs === undefined ? {} : { headersTimeout: headersTimeoutMs }),
        ...(bodyTimeoutMs === undefined ? {} : { bodyTimeout: bodyTimeoutMs }),
        dispatcher: agent,
      });
    },
    async exchange(url, { timeoutMs, maxBytes, ...options }) {
      const { origin, pathname, search } = assertAllowedUrl(url);
      const request = { ...options, origin, path: pathname + search };
      const until = performance.now() + timeoutMs;
      const kept = connections.last(origin);
      try {
        return await shortExchange(plainAgent, request, { timeoutMs, maxBytes });
      } catch (error) {
        if (!isBroken(error) || !connections.wasKept(origin, kept)) throw error;
        return shortExchange(plainAgent, request, { timeoutMs: until - performance.now(), maxBytes });
      }
    },
    close: () => agent.destroy(),
  };
}

const BROKEN: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const isBroken = (error: unknown): boolean => BROKEN.has((error as { code?: unknown }).code);

function guardedConnector(policy: AddressPolicy, lookup: AddressLookup, timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: guardedLookup(policy, lookup), autoSelectFamily: true });
  return (options, callback) => {
    // A literal address is connected to without any look-up.
    if (isIP(options.hostname) !== 0 && !policy.permits(options.hostname)) callback(addressForbidden(), null);
    else connect(options, callback);
  };
}

function guardedLookup(policy: AddressPolicy, lookup: AddressLookup): LookupFunction {
  return (hostname, { all, family, hints }, callback) => {
    const wanted = { all: true as const, ...(typeof family === 'number' ? { family } : {}), ...(hints === undefined ? {} : { hints }) };
    lookup(hostname, wanted, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const permitted = addresses.filter(({ address }) => policy.permits(address));
      const [first] = permitted;
      if (!first) return callback(addressForbidden(), '', 0);
      return all ? callback(null, permitted) : callback(null, first.address, first.family);
    });
  };
}

function checkUrl(policy: AddressPolicy, url: string | URL): URL {
  // The URL parser turns every spelling of an IPv4 address (decimal, hexadecimal, octal, shortened, trailing dot) into the dotted one.
  const parsed = URL.parse(String(url));
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) throw invalidUrl('The URL is not an http or https URL.');
  if (parsed.username !== '' || parsed.password !== '') throw invalidUrl('The URL holds credentials; use a presigned URL instead.');
  const host = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const loopback = host === 'localhost' || host.endsWith('.localhost');
  const permitted = loopback ? policy.permits('127.0.0.1') || policy.permits('::1') : isIP(host) === 0 || policy.permits(host);
  if (!permitted) throw addressForbidden();
  return parsed;
}

const invalidUrl = (message: string) => new AppError({ kind: 'invalid', code: 'invalid_url', message });

const addressForbidden = () =>
  new AppError({ kind: 'invalid', code: 'address_forbidden', message: 'The URL leads to an address that is not public.' });
