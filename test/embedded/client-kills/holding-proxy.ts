import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type OutgoingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Phase } from './phases.js';

/** Of a body or an audio stream: less than any recording of the tests has. */
const FORWARDED_BYTES = 32_768;

/** Stands between a client and the product, holds the request of a phase until the product is killed, and then only forwards. */
export class HoldingProxy implements AsyncDisposable {
  /** Resolves when the client is in the phase. */
  readonly held: Promise<void>;
  #hold!: () => void;
  #isHolding = true;
  readonly #server: Server = createServer((...exchange) => this.#forward(...exchange));
  readonly #sockets = new Set<Duplex>();

  private constructor(
    private readonly phase: Phase,
    private target: URL,
    private readonly port: number,
  ) {
    this.held = new Promise((resolve) => (this.#hold = resolve));
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#upgrade(request, socket, head));
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
  }

  /** @param port one of `reservePorts`, below those that the kernel gives to other sockets while the proxy is away */
  static async start(phase: Phase, target: string, port: number): Promise<HoldingProxy> {
    const proxy = new HoldingProxy(phase, new URL(target), port);
    await once(proxy.#server.listen(port, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The product is gone: its connections break, and new ones are refused. */
  leave(): void {
    this.#isHolding = false;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The product is back. */
  async comeBack(target: string): Promise<void> {
    this.target = new URL(target);
    await once(this.#server.listen(this.port, '127.0.0.1'), 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
  }

  #keep<Kind extends Duplex>(socket: Kind): Kind {
    this.#sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
  }

  #isHeld({ method = '', url = '' }: IncomingMessage): boolean {
    return this.#isHolding && method === this.phase.method && this.phase.url.test(url);
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const hold = this.#isHeld(request) ? this.phase.hold : undefined;
    if (hold === 'request') return void request.once('end', this.#hold).resume();
    const { method, url: path, headers } = request;
    const { hostname, port } = this.target;
    const far = send({ hostname, port, method, path, headers, agent: false }).on('error', () => request.socket.destroy());
    far.on('socket', (socket) => this.#keep(socket));
    far.on('response', (answer) => this.#answer(answer, response, hold));
    if (hold === 'poll') far.on('finish', this.#hold);
    if (hold !== 'body') return void request.pipe(far);
    request.once('data', (piece: Buffer) => {
      request.pause();
      far.write(piece.subarray(0, FORWARDED_BYTES), this.#hold);
    });
  }

  #answer(answer: IncomingMessage, response: ServerResponse, hold: Phase['hold'] | undefined): void {
    answer.on('error', () => response.destroy());
    if (hold === 'poll') return void answer.resume();
    if (hold === 'answer') return void answer.once('end', this.#hold).resume();
    response.writeHead(answer.statusCode ?? 0, answer.headers as OutgoingHttpHeaders);
    if (hold !== 'stream') return void answer.pipe(response);
    answer.once('data', (piece: Buffer) => {
      answer.pause();
      response.write(piece.subarray(0, -1), this.#hold);
    });
  }

  #upgrade(request: IncomingMessage, near: Duplex, head: Buffer): void {
    const isHeld = this.#isHeld(request);
    const far = this.#keep(connect(Number(this.target.port), this.target.hostname));
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let at = 0; at < request.rawHeaders.length; at += 2) lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
    far.write(`${lines.join('\r\n')}\r\n\r\n`);
    far.write(head);
    far.on('close', () => near.destroy()).pipe(near);
    near.on('close', () => far.destroy());
    if (!isHeld) return void near.pipe(far);
    let forwarded = 0;
    near.on('data', (piece: Buffer) => {
      far.write(piece);
      forwarded += piece.length;
      if (forwarded < FORWARDED_BYTES) return;
      near.pause();
      this.#hold();
    });
  }
}
