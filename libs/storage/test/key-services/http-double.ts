import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface DoubleRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; an empty object when there is none. */
  body: Record<string, unknown>;
}

export interface DoubleAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

type Handle = (request: DoubleRequest) => DoubleAnswer;

/** A server of one protocol for tests, in this process. It can be stopped and started again at its address, told to fail and to hang. */
export class HttpDouble {
  /** Every request gets this answer; `hang`: none. */
  fault: DoubleAnswer | 'hang' | undefined;
  requests: DoubleRequest[] = [];
  private server: Server | undefined;
  private port = 0;

  private constructor(
    private readonly handle: Handle,
    private readonly tls: { cert: string; key: string } | undefined,
  ) {}

  static async start(handle: Handle, tls?: { cert: string; key: string }): Promise<HttpDouble> {
    const double = new HttpDouble(handle, tls);
    await double.start();
    return double;
  }

  get url(): string {
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.server = this.tls ? createTlsServer(this.tls) : createServer();
    this.server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const received = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body: parsed(text) };
        this.requests.push(received);
        if (this.fault === 'hang') return;
        const { status, body, headers } = this.fault ?? this.handle(received);
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body === undefined ? '' : JSON.stringify(body));
      });
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

/** Also forms, which token services take. */
function parsed(text: string): Record<string, unknown> {
  if (text === '') return {};
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : Object.fromEntries(new URLSearchParams(text));
}
