import { lookup as systemLookup } from 'node:dns';
import { Agent, request, type buildConnector, type Dispatcher } from 'undici';
import { createAddressPolicy, DEFAULT_PORTS, type AddressPolicy } from './address-policy.js';
import { parseCidrs } from './address-range.js';
import { checkedUrl } from './checked-url.js';
import { guardedConnector } from './guarded-connector.js';
import { OpenConnections } from './open-connections.js';
import { OwnAddresses, type OwnAddressesOptions } from './own-addresses.js';
import type { AddressLookup } from './permitted-lookup.js';
import { ProxyConnector, type EgressProxy } from './proxy-connector.js';
import { shortExchange, type ShortAnswer, type ShortExchangeLimits } from './short-exchange.js';
import { wholeAnswer } from './whole-answer.js';

export interface EgressOptions {
  /** CIDR blocks that may be reached although they are not public, on any port: `EGRESS_ALLOW`. */
  allow: readonly string[];
  /** CIDR blocks that are refused, also inside `allow`: `EGRESS_DENY`. */
  deny?: readonly string[];
  /** Ports of public addresses: `EGRESS_PORTS`. */
  ports?: readonly number[];
  /** Every connection goes through it: `EGRESS_PROXY`. */
  proxy?: EgressProxy | undefined;
  /** Finds this host's own addresses; default: its network interfaces. */
  own?: OwnAddressesOptions;
  /** Every address of a name. Default: the system's resolver. */
  lookup?: AddressLookup;
  /** Milliseconds for name look-up, TCP and TLS together. Default 10 s. */
  connectTimeoutMs?: number;
  /** Milliseconds that an idle connection is kept for the next request, less when the server says so. Default 4 s. */
  keepAliveMs?: number;
}

interface EgressRequest {
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Milliseconds until the answer's head is there. */
  headersTimeoutMs?: number;
  /** Milliseconds between two pieces of the answer's body; a reader that pauses does not count. */
  bodyTimeoutMs?: number;
}

interface ExchangeRequest extends ShortExchangeLimits {
  method: 'GET' | 'HEAD' | 'POST';
  headers: Record<string, string>;
  body: string;
}

/** The only way to an address that a caller chose (media, webhooks): a guard against server-side request forgery. */
export interface Egress {
  /**
   * For undici's `request` and `fetch`. Names are resolved and checked when a socket is opened, and the socket goes to
   * exactly the addresses that were checked, so DNS rebinding gains nothing.
   */
  agent: Dispatcher;
  /**
   * Checks everything that needs no look-up; for literal addresses that is the whole check, in whatever notation they are
   * written.
   * @throws AppError `address_forbidden`, or `invalid_url`: neither http nor https, or with credentials (they would be stored
   * in the job and in logs; use a presigned URL)
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

/** @throws RangeError when `allow` or `deny` holds something that is no CIDR block. */
export function createEgress(options: EgressOptions): Egress {
  const { keepAliveMs = 4_000 } = options;
  const policy = policyOf(options);
  const connections = new OpenConnections();
  const connector = connectorOf(options, policy);
  const connect = connections.watch(connector.connect);
  const kept = { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs };
  const plainAgent = new Agent({ connect, allowH2: false, ...kept });
  const agent = plainAgent.compose(wholeAnswer);
  const assertAllowedUrl = (url: string | URL) => checkedUrl(policy, url);
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
    async close() {
      await agent.destroy();
      await connector.close();
    },
  };
}

function policyOf({ allow, deny = [], ports = DEFAULT_PORTS, own }: EgressOptions): AddressPolicy {
  const addresses = new OwnAddresses(own);
  return createAddressPolicy({ allow: parseCidrs(allow), deny: parseCidrs(deny), ports, isOwn: (address) => addresses.includes(address) });
}

function connectorOf(options: EgressOptions, policy: AddressPolicy): { connect: buildConnector.connector; close: () => Promise<void> } {
  const { lookup = systemLookup, connectTimeoutMs = 10_000, proxy } = options;
  if (proxy) return new ProxyConnector(proxy, policy, lookup, connectTimeoutMs);
  return { connect: guardedConnector(policy, lookup, connectTimeoutMs), close: async () => {} };
}

const BROKEN: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const isBroken = (error: unknown): boolean => BROKEN.has((error as { code?: unknown }).code);
