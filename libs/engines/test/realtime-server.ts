import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

/** The client's events of a transcription session, as OpenAI's reference has them; anything else is an error. */
const clientEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('session.update'),
    session: z.strictObject({
      type: z.literal('transcription'),
      audio: z.strictObject({
        input: z.strictObject({
          format: z.strictObject({ type: z.literal('audio/pcm'), rate: z.number() }),
          transcription: z.strictObject({ model: z.string(), language: z.string().length(2).optional(), prompt: z.string().min(1).optional() }),
          turn_detection: z.null(),
        }),
      }),
    }),
  }),
  z.strictObject({ type: z.literal('input_audio_buffer.append'), audio: z.string().min(4).regex(BASE64) }),
  z.strictObject({ type: z.literal('input_audio_buffer.commit') }),
]);
type ClientEvent = z.output<typeof clientEvent>;
type SessionUpdate = Extract<ClientEvent, { type: 'session.update' }>['session'];

export interface RealtimeBehaviour {
  rate?: 16_000 | 24_000;
  /** Sends deltas while audio arrives, before the commit. */
  early?: boolean;
  /** Completes every second item before the one before it. */
  outOfOrder?: boolean;
  /** The connection, counted from 1, ends with its first commit: by its age, or without a word. */
  endOf?: (connection: number) => 'expired' | 'cut' | undefined;
  /** What is answered to a commit instead. */
  failure?: { type: string; code: string };
  /** The status of the upgrade's answer instead of 101. */
  refusal?: number;
  /** Never answers a commit. */
  isSilent?: boolean;
}

/** A server of OpenAI's realtime transcription protocol. Its transcript of an utterance names the length and the hash of its audio. */
export class RealtimeServer {
  readonly updates: SessionUpdate[] = [];
  readonly requests: IncomingMessage[] = [];
  /** Events that break the protocol. */
  readonly violations: string[] = [];
  connections = 0;

  private constructor(
    private readonly server: Server,
    private readonly sockets: WebSocketServer,
    behaviour: RealtimeBehaviour,
  ) {
    server.on('upgrade', (request, socket, head) => {
      this.requests.push(request);
      if (behaviour.refusal) return void socket.end(`HTTP/1.1 ${behaviour.refusal} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.connections += 1;
        new RealtimePeer(webSocket, this.connections, behaviour, this).listen();
      });
    });
  }

  static async start(behaviour: RealtimeBehaviour = {}): Promise<RealtimeServer> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RealtimeServer(server, new WebSocketServer({ noServer: true }), behaviour);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

class RealtimePeer {
  private isConfigured = false;
  private audio: Buffer[] = [];
  private items = 0;
  private shown = 0;
  private held: (() => void) | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly connection: number,
    private readonly behaviour: RealtimeBehaviour,
    private readonly log: RealtimeServer,
  ) {}

  listen(): void {
    this.send({ type: 'session.created', session: {} });
    this.socket.on('message', (data) => this.receive(String(data)));
  }

  private receive(text: string): void {
    const event = clientEvent.safeParse(JSON.parse(text));
    if (!event.success) return this.refuse('invalid_value', z.prettifyError(event.error));
    if (event.data.type === 'session.update') this.configure(event.data.session);
    else if (!this.isConfigured) this.refuse('invalid_value', 'audio before session.update');
    else if (event.data.type === 'input_audio_buffer.append') this.append(Buffer.from(event.data.audio, 'base64'));
    else this.commit();
  }

  private configure(session: SessionUpdate): void {
    if (session.audio.input.format.rate !== (this.behaviour.rate ?? 24_000)) return this.refuse('invalid_value', 'wrong rate');
    this.isConfigured = true;
    this.log.updates.push(session);
    this.send({ type: 'session.updated', session });
  }

  private append(audio: Buffer): void {
    if (audio.byteLength % 2 !== 0) this.refuse('invalid_value', 'half a sample');
    this.audio.push(audio);
    if (!this.behaviour.early || this.bytes() < (this.shown + 1) * 48_000) return;
    this.shown += 1;
    this.send({ type: `${TRANSCRIPTION}.delta`, item_id: this.itemId(this.items + 1), content_index: 0, delta: ` part ${this.shown}` });
  }

  private commit(): void {
    const { rate = 24_000, failure, endOf } = this.behaviour;
    if (this.bytes() < rate / 5) return this.refuse('input_audio_buffer_commit_empty', 'less than 100 ms');
    const end = endOf?.(this.connection);
    if (end === 'expired') this.send({ type: 'error', event_id: 'e', error: { type: 'invalid_request_error', code: 'session_expired', message: 'Your session hit the maximum duration of 60 minutes.', param: null } });
    if (end) return end === 'expired' ? this.socket.close(1001) : this.socket.terminate();
    this.items += 1;
    const itemId = this.itemId(this.items);
    this.send({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id: this.items === 1 ? null : this.itemId(this.items - 1) });
    if (failure) return this.send({ type: `${TRANSCRIPTION}.failed`, item_id: itemId, content_index: 0, error: { ...failure, message: 'secret words', param: null } });
    if (!this.behaviour.isSilent) this.answer(itemId, Buffer.concat(this.audio));
    this.audio = [];
    this.shown = 0;
  }

  private answer(itemId: string, audio: Buffer): void {
    const transcript = `${audio.byteLength / 2} samples of ${createHash('sha256').update(audio).digest('hex').slice(0, 8)}`;
    const complete = () => {
      for (const delta of this.behaviour.early ? [] : transcript.split(/(?= )/)) this.send({ type: `${TRANSCRIPTION}.delta`, item_id: itemId, content_index: 0, delta });
      this.send({ type: `${TRANSCRIPTION}.completed`, item_id: itemId, content_index: 0, transcript, usage: { type: 'duration', seconds: 1 } });
    };
    const { held } = this;
    this.held = undefined;
    if (this.behaviour.outOfOrder && !held) {
      this.held = complete;
      // The last item has none after it.
      setTimeout(() => this.held === complete && (complete(), (this.held = undefined)), 200).unref();
      return;
    }
    complete();
    held?.();
  }

  private refuse(code: string, message: string): void {
    this.log.violations.push(message);
    this.send({ type: 'error', event_id: 'e', error: { type: 'invalid_request_error', code, message, param: null } });
  }

  private bytes(): number {
    return this.audio.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  private itemId(nth: number): string {
    return `item_${this.connection}_${nth}`;
  }

  private send(event: object): void {
    this.socket.send(JSON.stringify({ event_id: 'event', ...event }));
  }
}
