/** Frames up to half of that are copied into a shared block: of frames of a byte each, every one would otherwise cost an object. */
const BLOCK_BYTES = 8 * 1024;

interface Block {
  offset: number;
  bytes: Buffer;
  length: number;
}

/** The latest bytes of a session, addressed by their offset in it. What all readers are done with is released. */
export class AudioWindow {
  private readonly blocks: Block[] = [];
  private waiting: (() => void)[] = [];
  private first: number;
  private last: number;
  private closed = false;

  /** @param from the offset of the first byte that will be appended */
  constructor(from: number) {
    this.first = from;
    this.last = from;
  }

  /** The first byte that can be read. */
  get start(): number {
    return this.first;
  }

  get end(): number {
    return this.last;
  }

  /** True when no bytes follow. */
  get isClosed(): boolean {
    return this.closed;
  }

  append(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    const block = bytes.byteLength > BLOCK_BYTES / 2 ? this.add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : this.blockWithRoom(bytes.byteLength);
    if (bytes.byteLength <= BLOCK_BYTES / 2) block.bytes.set(bytes, block.length);
    block.length += bytes.byteLength;
    this.last += bytes.byteLength;
    this.notify();
  }

  /** No bytes follow. */
  close(): void {
    this.closed = true;
    this.notify();
  }

  /** Bytes from the offset on that lie together, up to `max` of them; none when they have not arrived. */
  read(offset: number, max: number): Buffer {
    if (offset < this.first) throw new RangeError(`The bytes before ${this.first} were released.`);
    const block = this.blocks.find((each) => offset < each.offset + each.length);
    if (!block) return Buffer.alloc(0);
    const at = offset - block.offset;
    return block.bytes.subarray(at, Math.min(block.length, at + max));
  }

  /** Bytes before the offset are not needed any longer. */
  release(offset: number): void {
    this.first = Math.max(this.first, Math.min(offset, this.last));
    const kept = this.blocks.findIndex((block) => block.offset + block.length > this.first);
    this.blocks.splice(0, kept === -1 ? this.blocks.length : kept);
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

  private blockWithRoom(bytes: number): Block {
    const block = this.blocks.at(-1);
    return block && block.bytes.byteLength - block.length >= bytes ? block : this.add(Buffer.allocUnsafeSlow(BLOCK_BYTES));
  }

  private add(bytes: Buffer): Block {
    const block = { offset: this.last, bytes, length: 0 };
    this.blocks.push(block);
    return block;
  }
}
