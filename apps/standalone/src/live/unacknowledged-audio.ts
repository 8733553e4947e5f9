/** The bytes of a session that the server has not stored yet, by their place in the session. They are kept for the next connection. */
export class UnacknowledgedAudio {
  private readonly chunks: Uint8Array[] = [];
  /** The place of the first byte that is kept. */
  private start = 0;
  private length = 0;

  /** The place after the last byte. */
  get end(): number {
    return this.start + this.length;
  }

  get byteLength(): number {
    return this.length;
  }

  append(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.chunks.push(bytes);
    this.length += bytes.byteLength;
  }

  /** Forgets what lies before the place. @throws RangeError when the server names a place outside of the kept bytes */
  acknowledge(offset: number): void {
    if (offset > this.end || offset < this.start) throw new RangeError(`The server is at byte ${offset}, and bytes ${this.start} to ${this.end} are kept.`);
    for (;;) {
      const [first] = this.chunks;
      if (first === undefined || offset === this.start) return;
      const part = Math.min(first.byteLength, offset - this.start);
      if (part === first.byteLength) this.chunks.shift();
      else this.chunks[0] = first.subarray(part);
      this.start += part;
      this.length -= part;
    }
  }

  /** At most so many bytes from the place on; none at the end. */
  read(offset: number, maxBytes: number): Uint8Array {
    let from = offset - this.start;
    for (const chunk of this.chunks) {
      if (from < chunk.byteLength) return chunk.subarray(from, from + maxBytes);
      from -= chunk.byteLength;
    }
    return new Uint8Array();
  }
}
