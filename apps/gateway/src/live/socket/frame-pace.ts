/** A second of audio in frames of 20 ms has 50; a recording that is sent as fast as it can be may have so many. */
const MAX_FRAMES = 2000;
/** Ten minutes of audio at 16 kHz. */
const MAX_BYTES = 20 * 1024 * 1024;
const SECOND_MS = 1000;

/** Frames and bytes of one connection in a second. */
export class FramePace {
  private since = -Infinity;
  private frames = 0;
  private bytes = 0;

  /** @param now milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Returns the milliseconds for which no further frame is taken. */
  restMs(): number {
    const restMs = this.since + SECOND_MS - this.now();
    if (restMs > 0 && (this.frames >= MAX_FRAMES || this.bytes >= MAX_BYTES)) return restMs;
    if (restMs <= 0) {
      this.since = this.now();
      this.frames = 0;
      this.bytes = 0;
    }
    return 0;
  }

  /** A frame is taken. */
  count(bytes: number): void {
    this.frames += 1;
    this.bytes += bytes;
  }
}
