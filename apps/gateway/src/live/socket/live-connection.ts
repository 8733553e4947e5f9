import type { ClientMessage, LastingMessage, ServerMessageOf } from '@parlance/contracts';
import { AppError, toAppError } from '@parlance/platform';
import { msOfBytes } from '../audio/raw-format.js';
import { SessionIntake } from '../audio/session-intake.js';
import type { NewLastingMessage } from '../recognition/lasting-log.js';
import { LiveRecognition } from '../recognition/live-recognition.js';
import { isOthers, liveEnded } from '../session/live-sessions.js';
import type { LiveSession } from '../session/live-session.js';
import { ClientInbox, type ClientFrame } from './client-inbox.js';
import { ClientMessages } from './client-messages.js';
import type { ConnectionServices, TakenSession } from './connection-services.js';
import type { MessageSender } from './message-sender.js';
import { OwnershipCheck } from './ownership-check.js';
import { FinalizedAudio } from './finalized-audio.js';
import { finishSession } from './session-finish.js';
import { SkippedAudio } from './skipped-audio.js';
import type { SessionSocket } from './session-socket.js';

/** `abandoned`: closed with an error for a client that cannot connect again, whose audio is being stored. */
type State = 'open' | 'finishing' | 'abandoned' | 'closed';

/** The closing of a socket that did not fail. */
const GONE = new AppError({ kind: 'canceled', code: 'client_gone', message: 'The client disconnected.' });

/** One client that has a session: its audio in, its messages out. */
export class LiveConnection {
  private state: State = 'open';
  private readonly stopped = new AbortController();
  private readonly inbox: ClientInbox;
  private readonly intake: SessionIntake;
  private readonly recognition: LiveRecognition;
  private readonly texts: ClientMessages;
  private readonly skipped: SkippedAudio;
  private readonly ownership: OwnershipCheck;
  /** Undefined until the client has what it missed. */
  private recognized: Promise<void> | undefined;
  private lastActiveAt = performance.now();
  private finished: Promise<void> = Promise.resolve();
  private readonly finalized: FinalizedAudio;

  constructor(
    private readonly services: ConnectionServices,
    socket: Pick<SessionSocket, 'pause' | 'resume' | 'isPaused'>,
    private readonly sender: MessageSender,
    readonly taken: TakenSession,
    private readonly onClosed: () => void,
  ) {
    const { sessions, media, recognition, log } = services;
    const { session, messages } = taken;
    this.texts = new ClientMessages(sender.protocol, () => performance.now());
    this.inbox = new ClientInbox(socket, { take: (frame) => this.take(frame), hasRoom: () => !this.intake.isFull, onError: (error) => this.fail(error) });
    this.intake = new SessionIntake(session, {
      media,
      sessions,
      quota: taken.quota,
      restartWithin: (acknowledged) => this.recognition.restarts.within(acknowledged),
      decodedMs: () => this.recognition.decodedMs,
      onAcknowledged: (addedMs) => this.acknowledged(addedMs),
      onRoom: () => this.inbox.drain(),
      onFailure: (error) => void this.failStored(error),
    });
    const { bytes } = this.intake;
    const audio = { from: (offset: number, signal: AbortSignal) => bytes.from(offset, signal), get position() { return bytes.position; }, acknowledged: (offset: number) => this.intake.flush(offset) };
    this.recognition = new LiveRecognition(session, { services: recognition, audio, messages, listener: { onMessage: (message) => this.deliver(message), onFinal: () => this.finalized.advance(this.recognition.finalMs) }, log });
    this.finalized = new FinalizedAudio(session.audio, () => this.acknowledge());
    this.skipped = new SkippedAudio({ audio: session.audio, intake: this.intake, append: (bytes) => this.append(bytes), announce: (gap) => this.announce(gap), signal: this.stopped.signal });
    this.ownership = new OwnershipCheck(this.intake, (error) => this.failStored(error));
  }

  /** As it was committed last. */
  get session(): LiveSession {
    return this.intake.session;
  }

  get sessionId(): string {
    return this.taken.session.id;
  }

  get isClosed(): boolean {
    return this.state === 'closed' || this.state === 'abandoned';
  }

  /** A frame has arrived. */
  receive(frame: ClientFrame): void {
    this.inbox.add(frame);
  }

  /** The client is there, also when it says nothing. */
  touch(): void {
    this.lastActiveAt = performance.now();
  }

  /** Says where the session is, sends what the client missed, and takes its audio. */
  async start(): Promise<void> {
    const { session, messages, engine, after } = this.taken;
    const { maxFrameBytes, idleMs, maxSessionMs } = session.limits;
    const limits = { max_frame_bytes: maxFrameBytes, idle_ms: idleMs, max_session_ms: maxSessionMs };
    const { lastSeq } = messages;
    this.sender.send({ type: 'ready', session_id: session.id, generation: session.generation, acknowledged_offset: session.acknowledged, last_seq: lastSeq, ...engine, limits });
    for await (const { seq, message } of this.services.events.list(session.id, after)) if (seq <= lastSeq) await this.sender.replay(message);
    if (this.state !== 'open') return;
    this.recognized = this.recognition.run(this.stopped.signal);
    this.recognized.catch((error: unknown) => this.stopped.signal.aborted || this.fail(error));
    this.inbox.open();
  }

  /** Another connection has the session. Settles when this one stores no message any more. */
  takenOver(): Promise<void> {
    this.fail(new AppError({ code: 'live_taken_over', message: 'A newer connection has the live session.' }));
    return this.taken.messages.close();
  }

  goAway(withinMs: number): void {
    if (this.state === 'open') this.sender.send({ type: 'go_away', reconnect_within_ms: withinMs });
  }

  /** Stores what has arrived, and closes: the client continues elsewhere. A session that is being finished is not interrupted. */
  async leave(): Promise<void> {
    if (this.state !== 'open') return this.finished;
    await this.intake.flush().catch(() => {});
    this.sender.restart();
    this.close();
  }

  /** The socket is closed. */
  async gone(): Promise<void> {
    // A session that is being finished is finished without its client.
    if (this.state === 'finishing' || this.state === 'abandoned') return;
    if (this.state === 'open' && !this.sender.protocol.canResume) return this.finish();
    if (this.state === 'open') {
      this.inbox.close();
      this.stopped.abort(GONE);
      await this.intake.flush().catch(() => {});
      await this.skipped.settled();
    }
    this.close();
  }

  /** Closes the connection with an error. */
  fail(error: unknown): void {
    if (this.isClosed) return;
    const isLast = !this.sender.protocol.canResume;
    // A socket that is closed at once must not finish the session as one that its client has closed.
    if (isLast) this.state = 'abandoned';
    const code = this.sender.fail(error);
    const { kind } = toAppError(error);
    if (kind === 'internal') this.services.log.error({ err: error, job_id: this.sessionId, request_id: this.sender.requestId }, 'a live connection failed');
    else this.services.log.info({ job_id: this.sessionId, request_id: this.sender.requestId, close: code, code: toAppError(error).code }, 'a live connection was closed');
    if (isLast && !isOthers(error)) this.finished = this.abandon();
    else this.close();
  }

  /** Stores what has arrived, and ends the session without waiting for its client. */
  private async abandon(): Promise<void> {
    this.inbox.close();
    await this.intake.flush().catch(() => {});
    await this.skipped.settled();
    this.close();
    await this.services.endings.begin(this.sessionId, 'window').catch((error: unknown) => this.services.log.warn({ err: error, job_id: this.sessionId }, 'a live session could not be ended at once'));
  }

  /** Called every second. */
  async tick(): Promise<void> {
    if (this.isClosed) return;
    const { createdAt, limits: { idleMs, maxSessionMs } } = this.session;
    const idle = performance.now() - this.lastActiveAt;
    // Before recognition has begun, the end would leave out the words of what is stored.
    if (this.recognized && this.state === 'open' && this.services.clock.now().getTime() - Date.parse(createdAt) > maxSessionMs) return this.finish(tooLong(maxSessionMs));
    if (this.state === 'open' && idle > idleMs && !this.intake.isFull) return this.fail(new AppError({ code: 'live_idle', message: `Neither audio nor keepalive came for ${idleMs / 1000} s.` }));
    await this.ownership.run();
  }

  private take({ data, isBinary }: ClientFrame): Promise<void> | undefined {
    if (this.isClosed) return undefined;
    try {
      return isBinary ? this.takeAudio(data) : this.takeMessage(this.texts.read(data));
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  private takeAudio(bytes: Buffer): Promise<void> | undefined {
    const { limits } = this.taken.session;
    if (bytes.byteLength > limits.maxFrameBytes) throw frameTooLarge(limits.maxFrameBytes);
    const message = this.sender.protocol.onAudio(bytes);
    if (bytes.byteLength > 0) this.append(bytes);
    return message && this.takeMessage(message);
  }

  /** @returns false when the session takes no more audio */
  private append(bytes: Buffer): boolean {
    if (this.state !== 'open') return false;
    const { audio, limits } = this.taken.session;
    this.touch();
    if (this.intake.end + bytes.byteLength > limits.maxBytes) {
      void this.finish(tooLarge(limits.maxBytes));
      return false;
    }
    this.intake.append(bytes);
    const ms = 'container' in audio ? this.session.audioMs : msOfBytes(audio, this.intake.end);
    if (ms > limits.maxSessionMs) void this.finish(tooLong(limits.maxSessionMs));
    return true;
  }

  private takeMessage(message: ClientMessage): Promise<void> | undefined {
    this.touch();
    if (message.type === 'keepalive') this.acknowledge();
    if (this.state !== 'open') return undefined;
    if (message.type === 'finalize') this.finalize();
    if (message.type === 'finish') void this.finish();
    return message.type === 'skip' ? this.skipped.skip(message.ms) : undefined;
  }

  private finalize(): void {
    this.intake.bytes.finalize();
    this.finalized.expect(this.intake.end, this.recognition.finalMs);
  }

  private async announce(gap: NewLastingMessage): Promise<void> {
    const stored = await this.taken.messages.append(gap);
    if (stored) this.deliver(stored);
  }

  private finish(error?: AppError): Promise<void> {
    if (this.state === 'open') {
      this.state = 'finishing';
      this.finished = this.finishAll(error).catch((failure: unknown) => this.fail(failure));
    }
    return this.finished;
  }

  private async finishAll(error: AppError | undefined): Promise<void> {
    const { services, taken, intake, skipped, recognition, recognized, ownership } = this;
    const last = await finishSession({ services, taken, intake, skipped, recognition, recognized, ownership });
    if (last) this.sender.send(last);
    if (error) this.sender.fail(error);
    else this.sender.finish();
    this.close();
  }

  /** The store refused: it says only that the generation is another one. */
  private async failStored(error: unknown): Promise<void> {
    const isOther = toAppError(error).code === 'live_taken_over';
    const session = isOther ? await this.services.sessions.find(this.sessionId).catch(() => undefined) : undefined;
    this.fail(session && session.status !== 'open' ? liveEnded() : error);
  }

  private deliver(message: LastingMessage | ServerMessageOf<'partial' | 'warning'>): void {
    this.sender.send(message);
    if (message.type === 'partial') this.services.feed.publish(this.sessionId, message);
  }

  private acknowledged(addedMs: number): void {
    const { lag_ms: lagMs } = this.acknowledge();
    this.services.metrics.acknowledged(addedMs / 1000, lagMs / 1000);
  }

  private acknowledge(): ServerMessageOf<'ack'> {
    const { acknowledged, audioMs } = this.intake.session;
    const processed = Math.min(this.recognition.processedMs, audioMs);
    const ack = { type: 'ack' as const, offset: acknowledged, audio_ms: audioMs, processed_ms: processed, lag_ms: audioMs - processed, final_ms: this.recognition.finalMs };
    this.sender.send(ack);
    return ack;
  }

  private close(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.stopped.abort(GONE);
    this.intake.stop(GONE);
    void this.taken.messages.close();
    this.inbox.close();
    this.onClosed();
  }
}

const tooLong = (ms: number) => new AppError({ code: 'live_too_long', message: `The session has reached its maximum of ${ms / 60_000} min, and was finished.` });
const tooLarge = (bytes: number) => new AppError({ kind: 'too_large', code: 'media_too_large', message: `The session has the ${bytes} bytes that a recording of the account may have, and was finished.` });
export const frameTooLarge = (bytes: number) => new AppError({ code: 'live_frame_too_large', message: `A frame may have up to ${bytes} bytes.` });
