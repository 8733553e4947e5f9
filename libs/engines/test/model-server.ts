import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does once, with the next request; by default it serves, ranges included. */
export type Behaviour =
  | { cutAfter: number }
  | { status: number; headers?: Record<string, string> }
  | { ignoreRange: true }
  | { extra: number };

/** Serves one file at every address, as a host of models does, with the faults that networks have. */
export class ModelServer {
  readonly requests: { url: string; range: string | undefined }[] = [];
  readonly next: Behaviour[] = [];
  /** Cuts the connection of `cutAfter`; called when what was sent has arrived. */
  cut = (): void => {};

  private constructor(
    private readonly server: Server,
    public content: Buffer,
  ) {}

  static async start(content: Buffer): Promise<ModelServer> {
    const server = createServer((request, response) => served.answer(request, response));
    const served = new ModelServer(server, content);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return served;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { range } = request.headers;
    this.requests.push({ url: request.url ?? '', range });
    const behaviour: Partial<{ cutAfter: number; status: number; headers: Record<string, string>; ignoreRange: true; extra: number }> = this.next.shift() ?? {};
    if (behaviour.status !== undefined) return void response.writeHead(behaviour.status, behaviour.headers).end('no');
    const from = behaviour.ignoreRange ? 0 : Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    if (from > this.content.length) return void response.writeHead(416, { 'content-range': `bytes */${this.content.length}` }).end();
    const body = Buffer.concat([this.content.subarray(from), Buffer.alloc(behaviour.extra ?? 0)]);
    const partial = { 'content-range': `bytes ${from}-${this.content.length - 1}/${this.content.length}` };
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': body.length, ...(from > 0 && partial) });
    if (behaviour.cutAfter === undefined) response.end(body);
    else {
      this.cut = () => response.destroy();
      response.write(body.subarray(0, behaviour.cutAfter));
    }
  }
}
