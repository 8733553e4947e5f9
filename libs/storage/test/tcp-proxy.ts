import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { reservePort } from '@parlance/platform/contract';

/** Stands between a client and a server, and can be what goes wrong between them. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private stalls = false;
  port = 0;

  constructor(private readonly target: { host: string; port: number }) {}

  /** On the port it had before, when it had one. */
  async start(): Promise<this> {
    this.port ||= await reservePort();
    this.server = createServer((client) => this.pass(client)).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  /** Ends every connection now, without a word, and a stall. */
  cut(): void {
    this.stalls = false;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Takes connections from now on, and lets nothing through, also on those that there are. */
  stall(): void {
    this.stalls = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Takes no connections any more. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    this.cut();
    await closed;
  }

  private pass(client: Socket): void {
    const upstream = connect(this.target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (!this.stalls) from.pipe(to);
    }
  }
}
