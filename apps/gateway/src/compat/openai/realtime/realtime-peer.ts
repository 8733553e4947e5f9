import { AppError, toAppError } from '@parlance/platform';
import type { ServerMessage } from '@parlance/contracts';
import type { FastifyRequest } from 'fastify';
import { describeProblem } from '../../../http/problem.js';
import type { Caller } from '../../../keys/authenticator.js';
import { msOfBytes, type RawAudio } from '../../../live/audio/raw-format.js';
import { ClientInbox, type ClientFrame } from '../../../live/socket/client-inbox.js';
import { closeCodeOf } from '../../../live/socket/close-codes.js';
import type { LiveWebSocket } from '../../../live/socket/live-web-socket.js';
import { MessageRate } from '../../../live/socket/message-rate.js';
import { unsupportedParameter } from '../../request-texts.js';
import { openAiError } from '../openai-error.js';
import { decodeLarge, eventIdOf, largeEventOf, parseClientEvent, readClientEvent, type RealtimeClientEvent, type RealtimeServerEvent } from './realtime-events.js';
import { RealtimeItems } from './realtime-items.js';
import type { RealtimeSessions } from './realtime-sessions.js';
import { rawAudioOf, sessionJson, updateSettings, vllmSettings, type Dialect, type RealtimeSettings } from './realtime-settings.js';
import { RealtimeSocket } from './realtime-socket.js';
import { CommittedTurns, DetectedTurns, type RealtimeTurns } from './realtime-turns.js';

/** OpenAI commits no less. */
const MIN_COMMIT_MS = 100;
/** RFC 6455, section 7.4.1. */
const TOO_BIG = 1009;
/** Marks the end of the frames of a client that has disconnected. */
const GONE: ClientFrame = { data: Buffer.alloc(0), isBinary: true };

interface RealtimePeerOptions {
  sessions: RealtimeSessions;
  caller: Caller;
  request: FastifyRequest;
  settings: RealtimeSettings;
  dialect: Dialect;
  /** Milliseconds without audio after which a connection is closed. */
  idleMs: number;
}

/** A live session that the audio of the client has begun. */
interface Begun {
  live: RealtimeSocket;
  turns: RealtimeTurns;
  audio: RawAudio;
  bytes: number;
  committedBytes: number;
  /** Bytes that had come at the last commit event, also at one that commits nothing. */
  bytesAtCommit: number;
}

/** One client of OpenAI's realtime transcription protocol (openapi.yaml, RealtimeTranscriptionSession…), in front of a live session. */
export class RealtimePeer {
  private readonly sessionId: string;
  private settings: RealtimeSettings;
  private dialect: Dialect;
  private begun: Begun | undefined;
  private readonly inbox: ClientInbox;
  /** The event that is being handled, or the last one. */
  private handling: Promise<void> = Promise.resolve();
  private readonly rate = new MessageRate();
  private events = 0;
  /** Set once the connection is being closed with an error: nothing more is handled. */
  private isOver = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: LiveWebSocket,
    private readonly options: RealtimePeerOptions,
  ) {
    ({ settings: this.settings, dialect: this.dialect } = options);
    this.sessionId = options.request.id.replace(/^req_/, 'sess_');
    // A session that has no room for its audio holds up the events behind.
    this.inbox = new ClientInbox(socket, { take: (frame) => (this.handling = this.handle(frame)), hasRoom: () => !this.begun?.live.isPaused, onError: (error) => this.end(error) });
  }

  listen(): void {
    const { socket } = this;
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, isBinary) => this.inbox.add({ data, isBinary }));
    socket.on('refused', (error) => this.refuse(error));
    socket.on('oversized', () => this.end(new AppError({ code: 'payload_too_large', message: 'An event may have up to 15 MiB of audio, or 1 MiB where the account has other such connections. Send the audio in shorter pieces.' }), TOO_BIG));
    // The session is finished and becomes a job, also without its client.
    socket.once('close', () => this.gone());
    this.idle = setTimeout(() => this.end(new AppError({ code: 'live_idle', message: `No audio came for ${this.options.idleMs / 1000} s.` })), this.options.idleMs).unref();
    this.sendSession('created');
    this.inbox.open();
  }

  /** @throws AppError rate_limited when too many come that neither bring audio nor commit any */
  private async handle(frame: ClientFrame): Promise<void> {
    if (frame === GONE) return this.begun?.live.say({ type: 'finish' });
    if (this.isOver) return;
    if (!(await this.handleEvent(frame.data))) this.rate.count();
  }

  /** @returns whether it brought audio, or was the first commit after audio: some clients of vLLM send one after each piece */
  private async handleEvent(data: Buffer): Promise<boolean> {
    let event: unknown;
    try {
      const large = largeEventOf(data);
      event = parseClientEvent(large ? Buffer.concat(large.rest) : data);
      const read = readClientEvent(event);
      const isAudio = read.type === 'input_audio_buffer.append';
      if (isAudio) await this.append(large ? await decodeLarge(large.base64) : [Buffer.from(read.audio, 'base64')]);
      else await this.take(read);
      return isAudio || (read.type === 'input_audio_buffer.commit' && this.noteCommit());
    } catch (error) {
      if (!this.isOver) this.sendError(error, eventIdOf(event));
      return false;
    }
  }

  /** Notes a commit event. @returns whether audio came since the last one */
  private noteCommit(): boolean {
    const { begun } = this;
    if (!begun || begun.bytesAtCommit === begun.bytes) return false;
    begun.bytesAtCommit = begun.bytes;
    return true;
  }

  private take(event: Exclude<RealtimeClientEvent, { type: 'input_audio_buffer.append' }>): Promise<void> | void {
    switch (event.type) {
      case 'session.update':
      case 'transcription_session.update':
        return this.update(event);
      case 'input_audio_buffer.commit':
        return this.commit(event.final === true);
      case 'input_audio_buffer.clear':
        return this.clear();
    }
  }

  private async update(event: RealtimeUpdate): Promise<void> {
    const dialect = dialectOf(event);
    const settings = event.type === 'session.update' && event.session === undefined ? vllmSettings(this.settings, event.model) : updateSettings(this.settings, event.session, dialect);
    if (this.begun && JSON.stringify(settings) !== JSON.stringify(this.settings)) throw unsupportedParameter('session', 'A session cannot be changed after its first audio. Open another connection.');
    await this.options.sessions.check(settings);
    this.settings = settings;
    this.dialect = dialect;
    this.sendSession('updated');
  }

  private async append(pieces: Buffer[]): Promise<void> {
    for (const audio of pieces) {
      if (audio.byteLength === 0) continue;
      const begun = (this.begun ??= await this.begin());
      begun.bytes += audio.byteLength;
      begun.live.append(audio);
    }
  }

  private async begin(): Promise<Begun> {
    const { sessions, caller, request } = this.options;
    const { socket, settings, sessionId } = this;
    clearTimeout(this.idle);
    const items = new RealtimeItems(sessionId, this.dialect, (event) => this.send(event));
    const turns = settings.turnDetection === null ? new CommittedTurns(items) : new DetectedTurns(items);
    const live = new RealtimeSocket(socket, { onMessage: (message) => this.deliver(message, turns), onRoom: () => this.inbox.drain() });
    try {
      await sessions.open(caller, request, { settings, sessionId, socket: live });
    } catch (error) {
      this.end(error);
      throw error;
    }
    return { live, turns, audio: rawAudioOf(settings), bytes: 0, committedBytes: 0, bytesAtCommit: 0 };
  }

  private commit(isFinal: boolean): void {
    const { begun } = this;
    // A client of vLLM begins the recognition by a commit, which began with the audio here.
    if (this.dialect === 'vllm' && !isFinal) return;
    if (!begun || msOfBytes(begun.audio, begun.bytes - begun.committedBytes) < MIN_COMMIT_MS) throw emptyCommit();
    begun.committedBytes = begun.bytes;
    begun.turns.commit(msOfBytes(begun.audio, begun.bytes));
    begun.live.say({ type: 'finalize' });
  }

  private clear(): void {
    const { begun } = this;
    if (begun) {
      begun.committedBytes = begun.bytes;
      begun.turns.clear(msOfBytes(begun.audio, begun.bytes));
      begun.live.say({ type: 'finalize' });
    }
    this.send({ type: 'input_audio_buffer.cleared' });
  }

  private deliver(message: ServerMessage, turns: RealtimeTurns): void {
    if (message.type !== 'error') return turns.take(message);
    const error = { type: message.retryable ? 'server_error' : 'invalid_request_error', code: message.code, message: message.message, param: null, event_id: null };
    turns.fail(error);
    this.send({ type: 'error', error });
  }

  private gone(): void {
    clearTimeout(this.idle);
    if (!this.isOver) return this.inbox.add(GONE);
    // The inbox takes nothing more. The session may be opening just now.
    void this.handling.catch(() => {}).then(() => this.begun?.live.say({ type: 'finish' }));
  }

  /** Closes a connection that broke a limit. A session that has begun closes it itself, after its last messages. */
  private refuse(error: AppError): void {
    if (this.begun) this.begun.live.emit('refused', error);
    else this.end(error);
  }

  private end(error: unknown, code = closeCodeOf(error)): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.idle);
    this.sendError(error);
    this.socket.close(code, toAppError(error).code);
    // The client's answer to the end is behind what it has sent.
    this.inbox.close();
  }

  private sendSession(what: 'created' | 'updated'): void {
    this.send({ type: this.dialect === 'beta' ? `transcription_session.${what}` : `session.${what}`, session: sessionJson(this.sessionId, this.settings, this.dialect) });
  }

  private sendError(thrown: unknown, eventId?: string): void {
    const { problem } = describeProblem(toAppError(thrown), { path: '', id: this.options.request.id });
    const { errors: [field] = [] } = problem;
    const { error } = openAiError(problem, problem.status).body;
    this.send({ type: 'error', error: { ...error, param: field ? field.pointer.slice(1).replaceAll('/', '.') || null : error.param, event_id: eventId ?? null } });
  }

  private send(event: RealtimeServerEvent): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.events += 1;
    this.socket.send(JSON.stringify({ event_id: `event_${this.sessionId}_${this.events}`, ...event }));
  }
}

type RealtimeUpdate = Extract<RealtimeClientEvent, { type: 'session.update' | 'transcription_session.update' }>;

/** @throws AppError invalid_request for a session that is no transcription */
function dialectOf({ type, session }: RealtimeUpdate): Dialect {
  if (type === 'transcription_session.update') return 'beta';
  if (session === undefined) return 'vllm';
  if (session.type === 'transcription') return 'ga';
  throw unsupportedParameter('session/type', 'This server has transcription sessions only: send a session of the type "transcription".');
}

const emptyCommit = () =>
  new AppError({
    kind: 'invalid',
    code: 'invalid_request',
    message: 'Less than 100 ms of audio came since the last commit.',
    fields: [{ pointer: '', code: 'input_audio_buffer_commit_empty', detail: 'Error committing input audio buffer: buffer too small. Less than 100 ms of audio came since the last commit.' }],
  });
