import { LIVE_PROTOCOL, LIVE_TOKEN_PREFIX, serverMessage, type ServerMessage, type ServerMessageOf } from '@parlance/contracts';
import { eventually, type TestApi } from '@parlance/testing';

export interface LiveAnswer {
  id: string;
  status: string;
  token: string;
  resume_within_ms: number;
  limits: { max_frame_bytes: number };
  acknowledged_offset: number;
  last_seq: number;
}

/** Creates a session. @throws Error with the answer when it was refused */
export async function openSession(api: TestApi, body: Record<string, unknown>): Promise<LiveAnswer> {
  const response = await api.post('/live', body);
  const answer = (await response.json()) as LiveAnswer;
  if (response.status !== 201) throw new Error(`not created: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

export async function newToken(api: TestApi, id: string): Promise<string> {
  const response = await api.request('POST', `/live/${id}/tokens`);
  if (response.status !== 201) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as LiveAnswer).token;
}

const FRAME_BYTES = 8000;
const MAX_QUEUED_BYTES = 64_000;

/** A connection of a session's client, at the gateway whose turn it is. It checks each message against the protocol. */
export class LiveConnection {
  readonly messages: ServerMessage[] = [];
  /** The code of the close, once there was one. */
  closed: number | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.messages.push(serverMessage.parse(JSON.parse(String(data)))));
    socket.addEventListener('close', ({ code }) => (this.closed = code));
  }

  static async open(api: TestApi, id: string, token: string, after = 0): Promise<LiveConnection> {
    const url = `${api.url.replace(/^http/, 'ws')}/api/v1/live/${id}/socket?after=${after}`;
    const connection = new LiveConnection(new WebSocket(url, [LIVE_PROTOCOL, `${LIVE_TOKEN_PREFIX}${token}`]));
    await eventually('the connection to open or close', () => connection.socket.readyState !== WebSocket.CONNECTING);
    return connection;
  }

  get protocol(): string {
    return this.socket.protocol;
  }

  all<T extends ServerMessage['type']>(type: T): ServerMessageOf<T>[] {
    return this.messages.filter((message): message is ServerMessageOf<T> => message.type === type);
  }

  /** @throws Error with what came instead */
  async first<T extends ServerMessage['type']>(type: T): Promise<ServerMessageOf<T>> {
    return eventually(`${type}`, () => {
      const [found] = this.all(type);
      if (found) return found;
      if (this.closed !== undefined) throw new Error(`closed by ${this.closed} without ${type}: ${JSON.stringify(this.messages.at(-1))}`);
      return undefined;
    });
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.socket.send(bytes);
  }

  say(message: { type: string; [field: string]: unknown }): void {
    this.sayText(JSON.stringify(message));
  }

  sayText(text: string): void {
    this.socket.send(text);
  }

  /** In frames of a quarter of a second of 16 kHz PCM, as fast as the server reads. */
  async sendAll(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      this.send(bytes.subarray(at, at + FRAME_BYTES));
      await eventually('room in the socket', () => this.closed !== undefined || this.socket.bufferedAmount < MAX_QUEUED_BYTES);
    }
  }

  /** Ends it as a client does that goes away. */
  async cut(): Promise<void> {
    this.socket.close();
    await this.closing();
  }

  async closing(): Promise<number> {
    return eventually('the close', () => this.closed);
  }
}
