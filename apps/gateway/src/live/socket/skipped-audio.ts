import type { SessionIntake } from '../audio/session-intake.js';
import { bytesOfMs, bytesPerSecond, frameBytes, msOfBytes, silence } from '../audio/raw-format.js';
import type { NewLastingMessage } from '../recognition/lasting-log.js';
import type { LiveAudio } from '../session/live-session.js';
import { invalid } from './client-messages.js';

interface SkippedAudioOptions {
  audio: LiveAudio;
  intake: Pick<SessionIntake, 'end' | 'room' | 'flush'>;
  /** @returns false when the session takes no more audio */
  append(bytes: Buffer): boolean;
  announce(gap: NewLastingMessage): Promise<void>;
  /** Aborts when the connection ends. */
  signal: AbortSignal;
}

/** Puts silence in the place of audio that the client left out. */
export class SkippedAudio {
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: SkippedAudioOptions) {}

  /** Settles when the skip that is under way has been announced, or has failed. */
  settled(): Promise<void> {
    return this.running.catch(() => {});
  }

  /**
   * The gap is announced after its silence is stored: otherwise a lost connection would leave a gap where the client sends audio again.
   * @throws AppError live_message_invalid
   */
  skip(ms: number): Promise<void> {
    this.running = this.fill(ms);
    return this.running;
  }

  private async fill(ms: number): Promise<void> {
    const { audio, intake } = this.options;
    if ('container' in audio) throw invalid('Only raw audio can be skipped.');
    const start = intake.end;
    if (start % frameBytes(audio) > 0) throw invalid('Audio can be skipped between two samples only.');
    await this.append(silence(audio, bytesOfMs(audio, ms)));
    const { end } = intake;
    if (end === start) return;
    await intake.flush(end);
    const from = msOfBytes(audio, start);
    await this.options.announce({ type: 'gap', from_ms: from, to_ms: from + Math.round(((end - start) * 1000) / bytesPerSecond(audio)), reason: 'skipped' });
  }

  /** Stops early when the connection or the session ends. */
  private async append(pieces: Iterable<Buffer>): Promise<void> {
    const { intake, append, signal } = this.options;
    for (const piece of pieces) {
      await intake.room(signal).catch(() => {});
      if (signal.aborted || !append(piece)) return;
    }
  }
}
