const FIRST_ROOM = 16 * 1024;

/** The bytes of a recording while they arrive. The beginning can be looked at before all of it is read. */
export class ArrivingBytes {
  private beginning = Buffer.alloc(FIRST_ROOM);
  private size = 0;
  private isEnded = false;
  private upcoming: Promise<IteratorResult<Uint8Array>> | undefined;

  constructor(private readonly parts: AsyncIterator<Uint8Array>) {}

  /** Bytes that have arrived. */
  get arrived(): number {
    return this.size;
  }

  /** Waits for the first so many bytes. @returns fewer when the recording ends before */
  async first(bytes: number): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
    while (this.size < bytes) {
      const part = await this.next();
      if (part === undefined) break;
      this.keep(part);
    }
    return { bytes: this.beginning.subarray(0, Math.min(bytes, this.size)), isWhole: this.isEnded };
  }

  /** All bytes from the first one on; the beginning is forgotten. */
  async *all(): AsyncGenerator<Uint8Array> {
    const { beginning, size } = this;
    this.beginning = Buffer.alloc(0);
    if (size > 0) yield beginning.subarray(0, size);
    for (let part = await this.next(); part; part = await this.next()) {
      this.size += part.length;
      yield part;
    }
  }

  /** The next bytes, also while a reader of `all` that was left still waits for them; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.isEnded) return undefined;
    this.upcoming ??= this.parts.next();
    const { done, value } = await this.upcoming;
    this.upcoming = undefined;
    this.isEnded ||= done === true;
    return done === true ? undefined : value;
  }

  private keep(part: Uint8Array): void {
    const size = this.size + part.length;
    if (size > this.beginning.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.beginning.length));
      this.beginning.copy(larger, 0, 0, this.size);
      this.beginning = larger;
    }
    this.beginning.set(part, this.size);
    this.size = size;
  }
}
