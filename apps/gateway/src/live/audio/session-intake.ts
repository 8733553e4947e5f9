import { AsyncResource } from 'node:async_hooks';
import { mediaKeys } from '@parlance/contracts';
import { toAppError, type AppError } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { LiveSession, RestartPoint } from '../session/live-session.js';
import type { LiveSessions } from '../session/live-sessions.js';
import type { SessionQuota } from '../socket/live-quota.js';
import { AudioWindow } from './audio-window.js';
import { PieceWriter, type AudioPiece } from './piece-writer.js';
import { RecentPieces } from './recent-pieces.js';
import { bytesPerSecond, frameBytes, msOfBytes } from './raw-format.js';
import { SessionBytes } from './session-bytes.js';
import { StoredAudio } from './stored-audio.js';

/** Bytes that have arrived and are not stored, after which no more are taken. */
const MAX_UNSTORED_BYTES = 512 * 1024;
/** Bytes that were never read, and seconds of raw audio, that wait to be recognized, after which no more are taken. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_WAITING_SECONDS = 30;
/** The latest bytes that stay in memory although they are stored and wait to be recognized; those before them are read from the store. */
const KEPT_BYTES = 64 * 1024;
/** A second of a container has fewer bytes; then its age counts. */
const CONTAINER_PIECE_BYTES = 64 * 1024;
/** Milliseconds for a piece to be stored. */
const PUT_MS = 30_000;

interface SessionIntakeOptions {
  media: Pick<MediaStore, 'put' | 'get' | 'list' | 'remove'>;
  sessions: Pick<LiveSessions, 'commit'>;
  quota: SessionQuota;
  /** Returns the restart point that needs no byte from the offset on. */
  restartWithin(acknowledged: number): RestartPoint;
  /** Returns the length of a container's audio that was decoded so far. */
  decodedMs(): number;
  /** @param addedMs milliseconds of audio in the piece that was stored */
  onAcknowledged(addedMs: number): void;
  /** There is room for further bytes. */
  onRoom(): void;
  onFailure(error: AppError): void;
  /** A number from 0 up to 1. Default: Math.random. */
  random?: () => number;
}

/** Takes the audio of one connection: keeps it until it is stored and recognized. */
export class SessionIntake {
  readonly bytes: SessionBytes;
  private readonly window: AudioWindow;
  private readonly writer: PieceWriter;
  private readonly recent = new RecentPieces();
  private readonly bytesPerSecond: number;
  private commits: Promise<void> = Promise.resolve();
  private committedAt = performance.now();
  /** The bytes before this offset are stored, and were read at least once. */
  private settled: number;

  constructor(
    private current: LiveSession,
    private readonly options: SessionIntakeOptions,
  ) {
    const { audio, acknowledged } = current;
    const { random = Math.random } = options;
    const raw = 'container' in audio ? undefined : audio;
    this.bytesPerSecond = raw ? bytesPerSecond(raw) : Infinity;
    const pieceBytes = raw ? bytesPerSecond(raw) : CONTAINER_PIECE_BYTES;
    this.window = new AudioWindow(acknowledged);
    this.settled = acknowledged;
    // Recognition reads within its own call: what follows from there being room must not end with that call.
    const onRead = AsyncResource.bind(() => this.release());
    const audioInStore = new StoredAudio(options.media);
    const stored = { read: (session: LiveSession, from: number) => audioInStore.read(session, from, this.recent.from(from)) };
    this.bytes = new SessionBytes({ stored, window: this.window, session: () => this.current, onRead });
    this.writer = new PieceWriter(this.window, {
      from: acknowledged,
      frameBytes: raw ? frameBytes(raw) : 1,
      pieceBytes,
      // Sessions of raw audio that begin together would store together, second after second.
      firstPieceBytes: Math.ceil(pieceBytes * (1 - random())),
      store: (piece) => this.store(piece),
      onFailure: options.onFailure,
    });
  }

  /** As it was committed last. */
  get session(): LiveSession {
    return this.current;
  }

  /** Bytes of the session that have arrived. */
  get end(): number {
    return this.window.end;
  }

  get isFull(): boolean {
    const waiting = this.window.end - this.bytes.position;
    return this.writer.unstored >= MAX_UNSTORED_BYTES || this.window.end - this.settled >= MAX_WAITING_BYTES || waiting >= MAX_WAITING_SECONDS * this.bytesPerSecond;
  }

  /** Milliseconds since the last commit of the session. */
  get committedAgoMs(): number {
    return performance.now() - this.committedAt;
  }

  /** Waits until further bytes can be taken. @throws the reason of the signal */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isFull) await this.window.changed(signal);
  }

  append(bytes: Uint8Array): void {
    this.window.append(bytes);
    this.writer.arrived();
  }

  /** Settles when the bytes before the offset (default: all) are acknowledged. */
  flush(end?: number): Promise<void> {
    return this.writer.flush(end);
  }

  /** No bytes follow. */
  close(): void {
    this.window.close();
  }

  /** Nothing is stored any more. */
  stop(reason: AppError): void {
    this.writer.stop(reason);
  }

  /** Says that the connection has the session, also while no audio comes. @throws AppError live_taken_over, live_ended */
  async renew(): Promise<void> {
    await this.commit();
  }

  private async store({ offset, bytes }: AudioPiece): Promise<void> {
    const { id, accountId, generation } = this.current;
    const { media, quota } = this.options;
    const key = mediaKeys(accountId, id).livePiece(offset, generation);
    await quota.requireTime(this.audioMsTo(offset + bytes.byteLength));
    const hold = await quota.holdBytes(bytes.byteLength);
    const before = this.current.audioMs;
    try {
      await media.put(key, one(bytes), { expectedBytes: bytes.byteLength, withoutDigest: true, signal: AbortSignal.timeout(PUT_MS) });
      await this.commit(offset + bytes.byteLength).catch((error: unknown) => this.withdraw(key, error));
      hold.keep(bytes.byteLength);
    } finally {
      hold.release();
    }
    this.recent.add({ key, offset, size: bytes.byteLength });
    this.release();
    this.options.onAcknowledged(this.current.audioMs - before);
  }

  /** The media of a deleted job may have been removed before this piece was put. */
  private async withdraw(key: string, error: unknown): Promise<never> {
    const { code } = toAppError(error);
    if (code === 'live_ended' || code === 'not_found') await this.options.media.remove(key).catch(() => {});
    throw error;
  }

  /** One after the other: a renewal must not take back what was acknowledged meanwhile. */
  private commit(stored = 0): Promise<void> {
    const committed = this.commits.then(() => this.commitNow(Math.max(stored, this.current.acknowledged)));
    this.commits = committed.catch(() => {});
    return committed;
  }

  private async commitNow(acknowledged: number): Promise<void> {
    const { id, generation } = this.current;
    this.current = await this.options.sessions.commit(id, generation, { acknowledged, audioMs: this.audioMsTo(acknowledged), restart: this.options.restartWithin(acknowledged) });
    this.committedAt = performance.now();
  }

  /** Milliseconds of audio before the byte; of a container, those that are known. */
  private audioMsTo(end: number): number {
    const { audio, audioMs } = this.current;
    return 'container' in audio ? Math.max(audioMs, this.options.decodedMs()) : msOfBytes(audio, end);
  }

  private release(): void {
    const { acknowledged } = this.current;
    this.recent.release(this.bytes.position);
    this.settled = Math.max(this.settled, Math.min(acknowledged, this.bytes.position));
    this.window.release(Math.max(this.settled, Math.min(acknowledged, this.window.end - KEPT_BYTES)));
    if (this.isFull) return;
    this.window.notify();
    this.options.onRoom();
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
