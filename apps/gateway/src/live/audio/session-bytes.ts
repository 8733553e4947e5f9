import type { LiveSession } from '../session/live-session.js';
import type { AudioWindow } from './audio-window.js';
import type { StoredAudio } from './stored-audio.js';

const READ_BYTES = 64 * 1024;
/** Ends of utterances that are remembered for a reader that begins anew. */
const MAX_MARKS = 256;

/** Audio of a session, or the order to end the utterance that is being said. */
export type SessionInput = Buffer | 'finalize';

interface SessionBytesOptions {
  stored: Pick<StoredAudio, 'read'>;
  window: AudioWindow;
  /** As it is now: what the window does not have any longer is stored. */
  session(): LiveSession;
  /** Called when the position has moved. */
  onRead(): void;
}

/** The audio of a session that has a connection: from the store as far as the window does not have it any longer, then as it arrives. */
export class SessionBytes {
  private at: number;
  /** Offsets at which the client ended utterances, in order. */
  private readonly marks: number[] = [];
  /** Marks that the present reader has not reached. */
  private ahead: number[] = [];

  constructor(private readonly options: SessionBytesOptions) {
    this.at = options.window.end;
  }

  /** The bytes before it were read by the present reader. */
  get position(): number {
    return this.at;
  }

  /** Ends the utterance that is being said, behind the bytes that have arrived. */
  finalize(): void {
    const { window } = this.options;
    this.marks.push(window.end);
    this.ahead.push(window.end);
    if (this.marks.length > MAX_MARKS) this.marks.shift();
    window.notify();
  }

  /** The bytes from the offset to the end, as they come. One reader at a time: a new one takes the place of the one before. */
  async *from(offset: number, signal: AbortSignal): AsyncGenerator<SessionInput> {
    const { stored, window, session } = this.options;
    this.at = offset;
    this.ahead = this.marks.filter((mark) => mark > offset);
    for (;;) {
      if (this.at < window.start) {
        for await (const bytes of stored.read(session(), this.at)) yield* this.cut(bytes, signal);
      } else if (window.end > this.at || this.isAtMark) yield* this.cut(window.read(this.at, READ_BYTES), signal);
      else if (window.isClosed) return;
      else await window.changed(signal);
    }
  }

  private *cut(bytes: Buffer, signal: AbortSignal): Generator<SessionInput> {
    for (let rest = bytes; rest.byteLength > 0 || this.isAtMark; ) {
      // A reader that was stopped must not move the position of the one that took its place.
      signal.throwIfAborted();
      if (this.isAtMark) {
        this.ahead.shift();
        yield 'finalize';
        continue;
      }
      const part = rest.subarray(0, (this.ahead[0] ?? Infinity) - this.at);
      rest = rest.subarray(part.byteLength);
      this.at += part.byteLength;
      this.options.onRead();
      yield part;
    }
  }

  private get isAtMark(): boolean {
    return (this.ahead[0] ?? Infinity) <= this.at;
  }
}
