import type { CallOptions } from '../options.js';
import type { Schemas } from '../schemas.js';
import { follow, type FollowOptions } from '../sse.js';
import { path, type Transport } from '../transport.js';
import { LiveSession, type LiveHandlers } from './live-session.js';
import type { LiveMessage } from './messages.js';

type NewLiveSession = Schemas['NewLiveSession'];
type LiveStreamEvent = Schemas['LiveStreamEvent'];

export type LiveConnectOptions = CallOptions & LiveHandlers;

/** A session that this client opened. */
export interface OpenedLiveSession {
  id: string;
  session: LiveSession;
}

export class Live {
  constructor(private readonly transport: Transport) {}

  /** Creates a session, which `LiveSession` or a page continues with its `url` and tokens. */
  create(session: NewLiveSession = {}, options?: CallOptions): Promise<Schemas['CreatedLiveSession']> {
    return this.transport.json({ method: 'POST', path: '/live', json: session }, options);
  }

  /** A further token of a session: each opens one connection. */
  token(id: string, token: Schemas['NewLiveToken'] = {}, options?: CallOptions): Promise<Schemas['LiveToken']> {
    return this.transport.json({ method: 'POST', path: path`/live/${id}/tokens`, json: token }, options);
  }

  /** Creates a session and connects to it. `maxRetries` also limits the attempts to open a lost connection again, by default 8 in a row. */
  async connect(settings: NewLiveSession = {}, given: LiveConnectOptions = {}): Promise<LiveSession & { id: string }> {
    const { onPartial, onFinal, onGap, onMessage, onReconnect, ...options } = given;
    const { id, token } = await this.create(settings, options);
    const tokens = [token];
    const session = new LiveSession({
      url: `${this.transport.baseUrl.replace(/^http/, 'ws')}/api/v1${path`/live/${id}/socket`}`,
      newToken: async () => tokens.pop() ?? (await this.token(id, {}, { ...options, idempotencyKey: undefined, maxRetries: 0 })).token,
      rest: (after) => this.#rest(id, after, { ...options, idempotencyKey: undefined }),
      onPartial,
      onFinal,
      onGap,
      onMessage,
      onReconnect,
      signal: options.signal,
      maxRetries: options.maxRetries,
      jobId: id,
      WebSocket: this.transport.WebSocket,
    });
    return Object.assign(session, { id });
  }

  /** The messages of a session for others than its sender, from any server. A broken connection is resumed. */
  events(id: string, options: FollowOptions = {}): AsyncGenerator<LiveStreamEvent & { id?: string }> {
    return follow<LiveStreamEvent>(this.transport, { method: 'GET', path: path`/live/${id}/events` }, ({ event }) => event === 'finished', options);
  }

  async *#rest(id: string, after: number, options: CallOptions): AsyncGenerator<LiveMessage> {
    for await (const { event, ...message } of this.events(id, { ...options, lastEventId: String(after) })) yield { ...message, type: event } as LiveMessage;
  }
}
