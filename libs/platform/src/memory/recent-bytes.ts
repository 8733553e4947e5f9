/** Below 16 kB, from which on our settings of the allocator map and unmap each buffer. */
const BLOCK_BYTES = 8 * 1024;
/** Free blocks that are kept, 4 MB. */
const MAX_FREE = 512;

const free: Buffer[] = [];

/**
 * The last part of a growing sequence of bytes, addressed by their offset in it. The bytes are copied into blocks that are used again
 * and again: buffers that are kept for seconds are garbage that V8 frees only when it collects its whole heap.
 */
export class RecentBytes {
  private blocks: Buffer[] = [];
  /** The offset of the first block. */
  private origin: number;
  private first: number;
  private last: number;

  /** @param start the offset of the first byte that will be appended */
  constructor(start = 0) {
    [this.origin, this.first, this.last] = [start, start, start];
  }

  /** The first byte that is held. */
  get start(): number {
    return this.first;
  }

  get end(): number {
    return this.last;
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; ) {
      const place = this.last - this.origin;
      if (place === this.blocks.length * BLOCK_BYTES) this.blocks.push(free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));
      const part = bytes.subarray(at, at + BLOCK_BYTES - (place % BLOCK_BYTES));
      this.blocks.at(-1)?.set(part, place % BLOCK_BYTES);
      this.last += part.byteLength;
      at += part.byteLength;
    }
  }

  /** The bytes from `start` to `end`, as far as they are held, where they lie: valid until they are released. */
  parts(start: number, end: number): Buffer[] {
    const parts: Buffer[] = [];
    const to = Math.min(end, this.last) - this.origin;
    for (let at = Math.max(start, this.first) - this.origin; at < to; ) {
      const index = Math.floor(at / BLOCK_BYTES);
      const part = (this.blocks[index] as Buffer).subarray(at % BLOCK_BYTES, to - index * BLOCK_BYTES);
      parts.push(part);
      at += part.byteLength;
    }
    return parts;
  }

  /** A copy of the bytes from `start` to `end`, as far as they are held. */
  copy(start: number, end: number): Buffer {
    return Buffer.concat(this.parts(start, end));
  }

  /** The bytes before the offset are not needed any longer. */
  release(offset: number): void {
    this.first = Math.max(this.first, Math.min(offset, this.last));
    const count = this.first === this.last ? this.blocks.length : Math.floor((this.first - this.origin) / BLOCK_BYTES);
    for (const block of this.blocks.splice(0, count)) if (free.length < MAX_FREE) free.push(block);
    this.origin = this.blocks.length === 0 ? this.last : this.origin + count * BLOCK_BYTES;
  }
}
