import { RecentBytes } from '@parlance/platform';

/** The latest bytes of a session, addressed by their offset in it. What all readers are done with is released. */
export class AudioWindow {
  private readonly bytes: RecentBytes;
  private waiting: (() => void)[] = [];
  private closed = false;

  /** @param from the offset of the first byte that will be appended */
  constructor(from: number) {
    this.bytes = new RecentBytes(from);
  }

  /** The first byte that can be read. */
  get start(): number {
    return this.bytes.start;
  }

  get end(): number {
    return this.bytes.end;
  }

  /** True when no bytes follow. */
  get isClosed(): boolean {
    return this.closed;
  }

  append(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.bytes.append(bytes);
    this.notify();
  }

  /** No bytes follow. */
  close(): void {
    this.closed = true;
    this.notify();
  }

  /** A copy of the bytes from the offset on, up to `max` of them; none when they have not arrived. */
  read(offset: number, max: number): Buffer {
    if (offset < this.start) throw new RangeError(`The bytes before ${this.start} were released.`);
    return this.bytes.copy(offset, offset + max);
  }

  /** Bytes before the offset are not needed any longer. */
  release(offset: number): void {
    this.bytes.release(offset);
  }

  /** Settles at the next change: further bytes, the end, or what `notify` announces. @throws the reason of the signal */
  async changed(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.waiting.push(wake);
    });
    signal.throwIfAborted();
  }

  /** Wakes the readers. */
  notify(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const each of waiting) each();
  }
}
