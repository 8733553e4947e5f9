import { once } from 'node:events';
import { serverMessage, type ClientMessage, type ServerMessage, type ServerMessageOf } from '@parlance/contracts';
import { WebSocket, type ClientOptions } from 'ws';

interface Closed {
  code: number;
  reason: string;
}

/** A client of a live session, as terse as tests want it. */
export class LiveClient {
  /** Everything that was received, in order. */
  readonly messages: ServerMessage[] = [];
  readonly closed: Promise<Closed>;
  private readonly changes = new Set<() => void>();
  private isClosed = false;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.messages.push(serverMessage.parse(JSON.parse(data.toString())));
      this.changed();
    });
    this.closed = new Promise((resolve, reject) => {
      socket.once('close', (code, reason) => {
        this.isClosed = true;
        resolve({ code, reason: reason.toString() });
        this.changed();
      });
      socket.once('error', reject);
    });
    this.closed.catch(() => {});
  }

  /** @param url of the socket, with its query */
  static open(url: string, protocols: string[] = [], options: ClientOptions = {}): LiveClient {
    return new LiveClient(new WebSocket(url, protocols, options));
  }

  /** With a token of the session. */
  static async connect(url: string, token: string, after = 0): Promise<LiveClient> {
    const client = LiveClient.open(`${url}?after=${after}`, ['parlance.v1', `token.${token}`]);
    await client.next('ready');
    return client;
  }

  of<T extends ServerMessage['type']>(type: T): ServerMessageOf<T>[] {
    return this.messages.filter((message): message is ServerMessageOf<T> => message.type === type);
  }

  /** The first message of the type that is so. @throws Error when the connection closes before */
  async next<T extends ServerMessage['type']>(type: T, isSo: (message: ServerMessageOf<T>) => boolean = () => true): Promise<ServerMessageOf<T>> {
    for (;;) {
      const found = this.of(type).find(isSo);
      if (found) return found;
      if (this.isClosed) throw new Error(`closed ${JSON.stringify(await this.closed)} without ${type}: ${JSON.stringify(this.messages.slice(-5))}`);
      await new Promise<void>((resolve) => this.changes.add(resolve));
    }
  }

  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    return this;
  }

  say(message: ClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  /** In frames of so many bytes. */
  send(audio: Uint8Array, frameBytes = 3200): void {
    for (let at = 0; at < audio.byteLength; at += frameBytes) this.socket.send(audio.subarray(at, at + frameBytes));
  }

  /** As a lost connection: without a close frame. */
  drop(): void {
    this.socket.terminate();
  }

  private changed(): void {
    for (const change of this.changes) change();
    this.changes.clear();
  }
}
