import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds for which one turn of the event loop begins further requests. */
const TURN_MS = 10;
const END_OF_HEAD = '\r\n\r\n';

/**
 * Begins the requests of a connection one after the other, the next in a later turn of the event loop than the one before, and
 * ends a turn that has begun requests for 10 ms. Node itself parses and begins all requests of a chunk of 64 KiB at once: 1,500
 * pipelined ones on each of ten connections held the event loop for seconds. A connection whose requests wait is not read.
 * @param event the server's event for a connection that is ready for HTTP
 */
export function serveInTurns(server: Server, event: 'connection' | 'secureConnection'): void {
  const turns = new Turns();
  const inputs = new WeakMap<Socket, ConnectionInput>();
  server.on(event, (socket: Socket) => inputs.set(socket, new ConnectionInput(socket, turns)));
  server.prependListener('request', (request, response) => {
    const input = inputs.get(request.socket);
    input?.begun(request);
    response.once('close', () => input?.answered());
  });
  // The parser gives up the connection to the listeners of this event.
  server.prependListener('connect', (request) => inputs.get(request.socket)?.detach());
}

/** The time of the present turn of the event loop, and the connections that wait for a later one. */
class Turns {
  private since: number | undefined;
  private waiting = 0;

  /** True when connections wait: others then wait behind them. */
  get isCrowded(): boolean {
    return this.waiting > 0;
  }

  get hasTime(): boolean {
    if (this.since === undefined) {
      this.since = performance.now();
      // Runs before all that is put off within this turn.
      setImmediate(() => (this.since = undefined));
    }
    return performance.now() - this.since < TURN_MS;
  }

  later(work: () => void): void {
    this.waiting += 1;
    const take = () => {
      if (!this.hasTime) return void setImmediate(take);
      this.waiting -= 1;
      work();
    };
    setImmediate(take);
  }
}

/** The bytes of a connection, of which the parser gets no more than one request at a time. */
class ConnectionInput {
  private readonly parse: (bytes: Buffer) => void;
  private unanswered = 0;
  private newest: IncomingMessage | undefined;
  private isHeld = false;
  private isScheduled = false;
  private isNext = false;

  constructor(
    private readonly socket: Socket,
    private readonly turns: Turns,
  ) {
    // Node's parser is a listener for data, as it takes any stream for a connection.
    const [parse] = socket.listeners('data');
    this.parse = parse as (bytes: Buffer) => void;
    socket.removeListener('data', this.parse);
    socket.on('data', this.onData);
  }

  begun(request: IncomingMessage): void {
    this.unanswered += 1;
    this.newest = request;
  }

  answered(): void {
    this.unanswered -= 1;
    this.schedule();
  }

  detach(): void {
    this.socket.removeListener('data', this.onData);
  }

  private readonly onData = (bytes: Buffer): void => {
    let rest = bytes;
    while (rest.length > 0) {
      if (!this.mayParse()) return this.hold(rest);
      const end = rest.indexOf(END_OF_HEAD);
      const part = end === -1 ? rest : rest.subarray(0, end + END_OF_HEAD.length);
      this.parse(part);
      rest = rest.subarray(part.length);
    }
  };

  /** True when no request is unanswered, or only one whose body is to come: a body may end in the same part as the next head. */
  private get isFree(): boolean {
    return this.unanswered === 0 || (this.unanswered === 1 && this.newest?.complete === false);
  }

  private mayParse(): boolean {
    return this.isFree && !isPausedByNode(this.socket) && (this.isNext || !this.turns.isCrowded) && this.turns.hasTime;
  }

  private hold(bytes: Buffer): void {
    this.isHeld = true;
    this.socket.pause();
    this.socket.unshift(bytes);
    this.schedule();
  }

  private schedule(): void {
    if (!this.isHeld || this.isScheduled || !this.isFree) return;
    this.isScheduled = true;
    this.turns.later(() => this.proceed());
  }

  private proceed(): void {
    this.isScheduled = false;
    if (!this.isFree || this.socket.destroyed) return;
    this.isHeld = false;
    this.isNext = true;
    // Emits what is held as data.
    this.socket.read();
    this.isNext = false;
    if (!this.isHeld && !isPausedByNode(this.socket)) this.socket.resume();
  }
}

/** Node pauses a connection whose answers are not taken, refuses data until they are, and then resumes it by itself. No public property says so. */
const isPausedByNode = (socket: Socket): boolean => Reflect.get(socket, '_paused') === true;
