import { toAppError, type AppError } from '@parlance/platform';
import type { AudioWindow } from './audio-window.js';

/** The largest piece. */
const MAX_PIECE_BYTES = 256 * 1024;
/** Milliseconds after which bytes are stored even when they are less than a piece. */
const MAX_AGE_MS = 1000;

/** Bytes of the session that are stored together. */
export interface AudioPiece {
  offset: number;
  bytes: Buffer;
}

interface PieceWriterOptions {
  /** Bytes that are stored already. */
  from: number;
  /** Pieces have whole frames; 1 for a container. */
  frameBytes: number;
  /** Bytes that are worth a piece: a second of the audio. More than the largest piece counts as that. */
  pieceBytes: number;
  /** Bytes that are worth the first piece; default: as for each. Writers that begin together with different ones do not store together. */
  firstPieceBytes?: number;
  /** Stores the piece and acknowledges it. */
  store(piece: AudioPiece): Promise<void>;
  /** After it nothing is stored any more. */
  onFailure(error: AppError): void;
}

/** Stores what arrives in an audio window, one piece at a time: while one is stored, the next one gathers. */
export class PieceWriter {
  private stored: number;
  /** Up to there, bytes are stored without waiting for more. */
  private wanted: number;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private failure: AppError | undefined;

  constructor(
    private readonly window: AudioWindow,
    private readonly options: PieceWriterOptions,
  ) {
    this.stored = options.from;
    this.wanted = options.from;
  }

  /** Bytes that have arrived and are not stored. */
  get unstored(): number {
    return this.window.end - this.stored;
  }

  /** To be called after bytes have arrived. */
  arrived(): void {
    this.begin();
    if (this.unstored === 0 || this.running) return;
    this.timer ??= setTimeout(() => void this.flush().catch(() => {}), MAX_AGE_MS).unref();
  }

  /** Settles when the whole frames before `end` (default: all that have arrived) are stored. @throws AppError the failure of a piece */
  async flush(end = this.window.end): Promise<void> {
    const wanted = this.whole(Math.min(end, this.window.end));
    this.wanted = Math.max(this.wanted, wanted);
    while (this.stored < wanted) {
      if (this.failure) throw this.failure;
      this.begin();
      await this.running;
    }
  }

  /** Stores nothing more; a piece that is being stored is not waited for. */
  stop(reason: AppError): void {
    this.failure ??= reason;
    clearTimeout(this.timer);
  }

  private begin(): void {
    if (this.isDue()) this.running ??= this.storeAll().finally(() => (this.running = undefined));
  }

  private isDue(): boolean {
    const whole = this.whole(this.window.end);
    return !this.failure && whole > this.stored && (whole - this.stored >= this.pieceBytes || this.wanted > this.stored);
  }

  private async storeAll(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      while (this.isDue()) await this.storeNext();
    } catch (error) {
      this.fail(toAppError(error));
    }
    // The rest is less than a piece: it gathers again.
    if (!this.failure && this.unstored > 0) this.timer ??= setTimeout(() => void this.flush().catch(() => {}), MAX_AGE_MS).unref();
  }

  private async storeNext(): Promise<void> {
    const end = Math.min(this.whole(this.window.end), this.stored + this.maxBytes);
    await this.options.store({ offset: this.stored, bytes: this.window.read(this.stored, end - this.stored) });
    this.stored = end;
  }

  private fail(error: AppError): void {
    if (this.failure) return;
    this.stop(error);
    this.options.onFailure(error);
  }

  private get maxBytes(): number {
    return this.whole(MAX_PIECE_BYTES);
  }

  private get pieceBytes(): number {
    const { from, pieceBytes, firstPieceBytes = pieceBytes } = this.options;
    return Math.min(this.stored === from ? firstPieceBytes : pieceBytes, this.maxBytes);
  }

  private whole(bytes: number): number {
    return bytes - (bytes % this.options.frameBytes);
  }
}
