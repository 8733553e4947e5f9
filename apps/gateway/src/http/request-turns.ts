import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Turns } from './turns.js';

/** Bytes that are parsed at once, in which there are 600 requests at most: a packet has 64 KiB. */
const SLICE_BYTES = 16_384;

/**
 * Begins the requests of a connection one after the other, each when the one before is answered, and begins requests for at most
 * 10 ms in a turn of the event loop. Node itself begins all requests of a packet at once: 1,500 pipelined ones on each of ten
 * connections held the event loop for seconds. Bytes behind requests that wait are not parsed.
 * @param server has one listener for requests, which this takes over
 * @param event the server's event for a connection that is ready for HTTP
 */
export function serveInTurns(server: Server, event: 'connection' | 'secureConnection'): void {
  const [handle, ...others] = server.listeners('request') as RequestListener[];
  if (!handle || others.length > 0) throw new Error('The server needs one listener for requests, which waits for its turn.');
  server.removeListener('request', handle);
  const turns = new Turns();
  const connections = new WeakMap<Socket, PipelinedConnection>();
  server.on(event, (socket: Socket) => connections.set(socket, new PipelinedConnection(socket, turns, handle)));
  server.on('request', (request, response) => connections.get(request.socket)?.add({ request, response }));
  // The parser gives up the connection to the listeners of these events.
  for (const event of ['connect', 'upgrade'] as const) server.prependListener(event, (request) => connections.get(request.socket)?.detach());
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** A connection of which one request is at work at a time. */
class PipelinedConnection {
  private readonly parse: (bytes: Buffer) => void;
  private readonly waiting: Exchange[] = [];
  private isBusy = false;
  private isHeld = false;
  private isDetached = false;

  constructor(
    private readonly socket: Socket,
    private readonly turns: Turns,
    private readonly handle: RequestListener,
  ) {
    // Node's parser is the listener for data, as it takes any stream for a connection.
    const [parse] = socket.listeners('data');
    if (!parse) throw new Error('The parser does not listen to the connection.');
    this.parse = parse as (bytes: Buffer) => void;
    socket.removeListener('data', this.parse);
    socket.on('data', this.onData);
  }

  add(exchange: Exchange): void {
    this.turns.countParsed();
    this.waiting.push(exchange);
    this.beginNext();
  }

  detach(): void {
    this.isDetached = true;
    this.socket.removeListener('data', this.onData);
  }

  private beginNext(): void {
    if (this.isBusy || this.waiting.length === 0) return;
    this.isBusy = true;
    this.turns.run(() => this.begin());
  }

  private begin(): void {
    const next = this.waiting.shift();
    if (!next || this.socket.destroyed) return;
    next.response.once('close', () => {
      this.isBusy = false;
      this.beginNext();
    });
    this.handle(next.request, next.response);
    if (this.waiting.length === 0) this.release();
  }

  private readonly onData = (bytes: Buffer): void => {
    this.isHeld = false;
    for (let rest = bytes; rest.length > 0 && !this.isGivenUp; rest = rest.subarray(SLICE_BYTES)) {
      if (this.waiting.length > 0 || this.turns.isFull || isPausedByNode(this.socket)) return this.hold(rest);
      this.parse(rest.subarray(0, SLICE_BYTES));
    }
  };

  /** True after a CONNECT or an upgrade, and after bytes that are no request. */
  private get isGivenUp(): boolean {
    return this.isDetached || this.socket.destroyed || !this.socket.writable;
  }

  private hold(bytes: Buffer): void {
    this.isHeld = true;
    this.socket.pause();
    this.socket.unshift(bytes);
    if (this.waiting.length === 0 && !isPausedByNode(this.socket)) this.turns.later(() => this.release());
  }

  /** Lets one packet through at least; the parser pauses the connection again when the reader of a body is slower. */
  private release(): void {
    if (this.isHeld && !isPausedByNode(this.socket)) this.socket.resume();
  }
}

/** Node pauses a connection whose answers are not taken, refuses data until they are, and then resumes it by itself. No public property says so. */
const isPausedByNode = (socket: Socket): boolean => Reflect.get(socket, '_paused') === true;
