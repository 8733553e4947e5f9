import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { pause, withTimeout, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { KeyEndings } from '../../keys/key-endings.js';
import { LiveMetrics } from '../live-metrics.js';
import { LiveFeed, type FeedMessage } from '../session/live-feed.js';
import type { LiveSession } from '../session/live-session.js';
import { LiveEndings } from '../ending/live-endings.js';
import { isOthers, liveEnded } from '../session/live-sessions.js';
import { ConnectionOpening } from './connection-opening.js';
import { frameTooLarge, type LiveConnection } from './live-connection.js';
import type { LiveProtocol } from './live-protocol.js';
import { MessageSender } from './message-sender.js';
import type { SocketRequest } from './socket-admission.js';
import type { SessionSocket } from './session-socket.js';

const TICK_MS = 1000;
/** Milliseconds that clients have to connect elsewhere before they are sent there. */
const GO_AWAY_MS = 2000;
const INTERNAL = 4500;
/** News of a session after which it takes nothing more from a client. */
const ENDS: ReadonlySet<string> = new Set<FeedMessage['type']>(['ending', 'canceled']);

/** The sockets of live sessions that this process has. */
@Injectable()
export class LiveSockets implements OnModuleDestroy {
  private readonly connections = new Map<string, LiveConnection>();
  /** Senders to clients that are being let in. */
  private readonly arriving = new Set<MessageSender>();
  private timer: NodeJS.Timeout | undefined;
  private isDraining = false;

  constructor(
    @Inject(ConnectionOpening) private readonly opening: ConnectionOpening,
    @Inject(KeyEndings) private readonly keys: Pick<KeyEndings, 'watch'>,
    @Inject(LiveFeed) private readonly feed: Pick<LiveFeed, 'follow'>,
    @Inject(LiveMetrics) private readonly metrics: Pick<LiveMetrics, 'connected'>,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(LiveEndings) private readonly endings: Pick<LiveEndings, 'begin'>,
  ) {}

  /** A client has connected. It is refused by an error message, as browsers do not show why an upgrade failed. */
  accept(socket: SessionSocket, asked: SocketRequest, requestId: string, protocol?: LiveProtocol): void {
    const sender = new MessageSender(socket, requestId, protocol);
    socket.on('error', () => {});
    if (this.isDraining) {
      sender.restart();
      return this.abandon(asked.id, sender);
    }
    socket.pause();
    this.arriving.add(sender);
    this.open(socket, sender, asked).catch((error: unknown) => {
      this.arriving.delete(sender);
      const code = sender.fail(error);
      this.log.info({ err: code === INTERNAL ? error : undefined, job_id: asked.id, request_id: requestId, close: code }, 'a live connection was refused');
      if (socket.isPaused) socket.resume();
      if (!isOthers(error)) this.abandon(asked.id, sender);
    });
  }

  /** Ends the session of a client that was not let in and cannot connect again. */
  private abandon(id: string, { protocol }: MessageSender): void {
    if (protocol.canResume) return;
    this.endings.begin(id, 'window').catch((error: unknown) => this.log.warn({ err: error, job_id: id }, 'a live session could not be ended at once'));
  }

  /** Sends the clients elsewhere, and settles when they are gone; sessions that are being finished are waited for. */
  async drain(limitMs: number): Promise<void> {
    this.isDraining = true;
    // A client without a session yet has nothing to finish here.
    for (const sender of this.arriving) sender.restart();
    if (this.connections.size === 0) return;
    const within = Math.min(GO_AWAY_MS, limitMs / 2);
    for (const connection of this.connections.values()) connection.goAway(within);
    await this.whenEmpty(within);
    const left = Promise.all([...this.connections.values()].map((connection) => connection.leave()));
    await withTimeout(limitMs - within, left, () => {});
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    for (const connection of this.connections.values()) void connection.leave();
  }

  private async open(socket: SessionSocket, sender: MessageSender, asked: SocketRequest): Promise<void> {
    let release = () => {};
    let connection: LiveConnection | undefined;
    socket.on('refused', (error) => (connection ?? sender).fail(error));
    connection = await this.opening.open(asked, socket, sender, { onTaken: (session) => this.evict(session), onClosed: () => release() });
    // At once: from here on, anything may close the connection.
    release = this.watch(connection);
    await this.place(connection);
    this.arriving.delete(sender);
    this.listen(socket, connection);
    if (sender.isClosed) return connection.gone();
    await connection.start();
  }

  /** Closes the connection when its key or its session ends. @returns to be called when the connection is closed */
  private watch(connection: LiveConnection): () => void {
    const { sessionId, taken: { credentialIds } } = connection;
    const ends = [
      this.metrics.connected(),
      ...[...credentialIds].map((id) => this.keys.watch(id, (why) => connection.fail(why))),
      this.feed.follow(sessionId, ({ type }) => ENDS.has(type) && connection.fail(liveEnded())),
    ];
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return () => {
      ends.forEach((end) => end());
      if (this.connections.get(sessionId) === connection) this.connections.delete(sessionId);
    };
  }

  /** The newest connection of a session has it. Others may be placed during each wait. */
  private async place(connection: LiveConnection): Promise<void> {
    const { sessionId, session } = connection;
    for (let other = this.connections.get(sessionId); other; other = this.connections.get(sessionId)) {
      if (other.session.generation > session.generation) return connection.takenOver();
      await this.evict(session);
    }
    if (!connection.isClosed) this.connections.set(sessionId, connection);
  }

  /** Closes older connections of the session. Settles when they store nothing more. */
  private async evict({ id, generation }: Pick<LiveSession, 'id' | 'generation'>): Promise<void> {
    for (let older = this.connections.get(id); older && older.session.generation < generation; older = this.connections.get(id)) {
      this.connections.delete(id);
      await older.takenOver();
    }
  }

  private listen(socket: SessionSocket, connection: LiveConnection): void {
    socket.on('message', (data: Buffer, isBinary: boolean) => connection.receive({ data, isBinary }));
    socket.on('ping', () => connection.touch());
    socket.on('oversized', () => connection.fail(frameTooLarge(connection.session.limits.maxFrameBytes)));
    socket.once('close', () => void connection.gone());
  }

  private tick(): void {
    for (const connection of this.connections.values()) void connection.tick();
  }

  private async whenEmpty(limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    while (this.connections.size > 0 && performance.now() < end) await pause(20);
  }
}
