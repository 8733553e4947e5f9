import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { AppError } from '@parlance/platform';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.js';
import { portOf } from './checked-url.js';
import { errorCode } from './no-answer.js';
import { permittedAddresses, type AddressLookup } from './permitted-lookup.js';

export interface EgressProxy {
  /** `http://user:password@host:port`: an HTTP proxy that takes CONNECT. The operator chose it, so its address is not checked. */
  url: string;
  /** The host that CONNECT names: the checked address, or the host's name for proxies that filter by name. */
  target?: 'address' | 'name';
}

/** The proxy answered that it made no tunnel to the target: to the caller the same as a server that does not answer. */
class TunnelRefused extends Error {
  readonly code = 'EGRESS_PROXY_REFUSED';
  constructor(readonly statusCode: number) {
    super(`The proxy answered ${statusCode} to CONNECT.`);
  }
}

/** The proxy is the operator's: while it cannot be used nothing is known of the target, and the work is waited for. */
const proxyUnavailable = (message: string, cause: unknown): AppError => new AppError({ kind: 'unavailable', code: 'service_unavailable', message, cause });

/** The connection to the proxy gets half of the time: the proxy is near, and a later delay is caused by the target. */
const PART_OF_TIME_FOR_PROXY = 0.5;

const PROXY_AUTHENTICATION_REQUIRED = 407;

/**
 * Opens connections through an HTTP proxy by CONNECT (RFC 9110, section 9.3.6). The target is resolved and checked here, and
 * CONNECT names the checked address, so that DNS rebinding gains nothing; TLS and the Host header keep the name.
 * undici's ProxyAgent sends the name, so it cannot be used here.
 */
export class ProxyConnector {
  private readonly pool: Pool;
  private readonly authorization: Record<string, string>;
  private readonly secure: buildConnector.connector;

  constructor(
    private readonly proxy: EgressProxy,
    private readonly policy: AddressPolicy,
    private readonly lookup: AddressLookup,
    private readonly timeoutMs: number,
  ) {
    const { origin, username, password } = new URL(proxy.url);
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.authorization = username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
    this.pool = new Pool(origin, { connect: { timeout: timeoutMs * PART_OF_TIME_FOR_PROXY }, headersTimeout: timeoutMs });
    this.secure = buildConnector({ timeout: timeoutMs });
  }

  readonly connect: buildConnector.connector = (options, callback) => void this.open(options, callback);

  private async open(options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    let socket: Socket;
    try {
      socket = await this.tunnel(options);
    } catch (error) {
      return callback(error as Error, null);
    }
    if (options.protocol === 'https:') this.secure({ ...options, httpSocket: socket }, callback);
    else callback(null, socket);
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  /** The first permitted address that the proxy reaches. */
  private async tunnel(options: buildConnector.Options): Promise<Socket> {
    const port = portOf(options);
    const addresses = await permittedAddresses(this.policy, this.lookup, options.hostname, port);
    const hosts = this.proxy.target === 'name' ? [options.hostname] : addresses.map(({ address }) => address);
    let failure: unknown;
    for (const host of hosts) {
      try {
        return await this.connectTo(`${host.includes(':') ? `[${host}]` : host}:${port}`);
      } catch (error) {
        if (error instanceof AppError) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** @throws TunnelRefused; a timeout, when the proxy did not answer; AppError service_unavailable, when the proxy itself cannot be used. */
  private async connectTo(authority: string): Promise<Socket> {
    const { socket, statusCode } = await this.requestTunnel(authority);
    if (statusCode === 200) return socket as Socket;
    discard(socket);
    const refusal = new TunnelRefused(statusCode);
    if (statusCode === PROXY_AUTHENTICATION_REQUIRED) throw proxyUnavailable('The egress proxy does not accept the credentials.', refusal);
    throw refusal;
  }

  private async requestTunnel(authority: string): Promise<Dispatcher.ConnectData> {
    const headers = { ...this.authorization, host: authority };
    try {
      return await this.pool.connect({ path: authority, headers, signal: AbortSignal.timeout(this.timeoutMs) });
    } catch (error) {
      throw isLateAnswer(error) ? error : proxyUnavailable('The egress proxy cannot be reached.', error);
    }
  }
}

/** The proxy took the connection and gave no answer: it waits for the target. */
const isLateAnswer = (error: unknown): boolean => LATE.has(errorCode(error));
const LATE: ReadonlySet<string> = new Set(['TimeoutError', 'UND_ERR_HEADERS_TIMEOUT']);

const discard = (socket: Duplex): void => void socket.on('error', () => undefined).destroy();
