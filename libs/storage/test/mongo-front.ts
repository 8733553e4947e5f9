import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';

const { BSON } = mongoose.mongo;

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_MSG = 2013;
/** Before the one document: its flags and the kind of its section, or the four numbers of an answer to the first greeting. */
const MSG_START = HEADER_BYTES + 5;
const REPLY_START = HEADER_BYTES + 20;

type Fields = Record<string, unknown>;

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];
/** Of a write that the server did not begin. */
const NOT_PRIMARY: Fields = { ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary', errorLabels: ['RetryableWriteError'] };
/** Of one that it has begun, perhaps done. */
const STEPPED_DOWN: Fields = { ok: 0, code: 11602, codeName: 'InterruptedDueToReplStateChange', errmsg: 'operation was interrupted', errorLabels: ['RetryableWriteError'] };

/**
 * A replica set of one, in front of a server that compares no passwords and holds no elections: what it would answer to those is
 * answered here, everything else is the server's.
 */
export class MongoFront implements AsyncDisposable {
  /** Answers a command in the server's place, which then does not get it. */
  instead: (command: Fields) => Fields | undefined = () => undefined;
  private hasPrimary = true;
  /** Ends the time of this primary; called once a write comes, or is done. */
  private stepDown: { isAfterWrite: boolean; begin: () => void } | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client) => this.pass(client));
  }

  /** @param target the server's port on 127.0.0.1 */
  static async start(target: number): Promise<MongoFront> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new MongoFront(server, target);
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * At the next write the primary steps down, before it does it or when it has done it; then nobody is for so many milliseconds.
   * Resolves when there is a primary again.
   */
  async election({ isAfterWrite, milliseconds }: { isAfterWrite: boolean; milliseconds: number }): Promise<void> {
    await new Promise<void>((begin) => (this.stepDown = { isAfterWrite, begin }));
    await sleep(milliseconds);
    this.hasPrimary = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private pass(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    const commands = new Map<number, Fields>();
    for (const [socket, other] of [[client, server], [server, client]] as const) {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    eachMessage(client, (message) => {
      const command = opCode(message) === OP_MSG ? documentAt(message, MSG_START) : undefined;
      const answer = command && (this.instead(command) ?? this.refusal(command));
      if (answer) return void client.write(answerTo(message, answer));
      if (command) commands.set(message.readInt32LE(4), command);
      server.write(message);
    });
    eachMessage(server, (message) => {
      const command = commands.get(message.readInt32LE(8));
      commands.delete(message.readInt32LE(8));
      const start = opCode(message) === OP_REPLY ? REPLY_START : MSG_START;
      const said = documentAt(message, start);
      const answer = (command && this.interruption(command)) ?? (said['setName'] === undefined ? undefined : { ...said, ...this.greeting() });
      client.write(answer ? withDocument(message, start, answer) : message);
    });
  }

  private refusal(command: Fields): Fields | undefined {
    if (!isWrite(command)) return undefined;
    if (this.stepDown?.isAfterWrite === false) this.beginElection();
    return this.hasPrimary ? undefined : NOT_PRIMARY;
  }

  private interruption(command: Fields): Fields | undefined {
    if (!isWrite(command) || this.stepDown?.isAfterWrite !== true) return undefined;
    this.beginElection();
    return STEPPED_DOWN;
  }

  private beginElection(): void {
    this.hasPrimary = false;
    this.stepDown?.begin();
    this.stepDown = undefined;
  }

  /** The driver goes on to the hosts that the server names. */
  private greeting(): Fields {
    const { host, hasPrimary } = this;
    return { hosts: [host], me: host, primary: hasPrimary ? host : undefined, isWritablePrimary: hasPrimary, ismaster: hasPrimary, secondary: !hasPrimary };
  }
}

const isWrite = (command: Fields): boolean => WRITES.some((name) => name in command);

const opCode = (message: Buffer): number => message.readInt32LE(12);

function eachMessage(socket: Socket, act: (message: Buffer) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more]);
    while (bytes.length >= HEADER_BYTES && bytes.length >= bytes.readInt32LE(0)) {
      const size = bytes.readInt32LE(0);
      act(bytes.subarray(0, size));
      bytes = bytes.subarray(size);
    }
  });
}

/** The first of the message; the driver sends what a bulk write adds to it in one document too. */
const documentAt = (message: Buffer, start: number): Fields => BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));

function withDocument(message: Buffer, start: number, document: Fields): Buffer {
  const changed = Buffer.concat([message.subarray(0, start), BSON.serialize(document, { ignoreUndefined: true })]);
  changed.writeInt32LE(changed.length, 0);
  return changed;
}

/** @param request whose number the answer names */
function answerTo(request: Buffer, document: Fields): Buffer {
  const start = Buffer.alloc(MSG_START);
  start.writeInt32LE(request.readInt32LE(4), 8);
  start.writeInt32LE(OP_MSG, 12);
  return withDocument(start, MSG_START, document);
}
