/** Bytes that arrive in pieces of any size and are taken in others. */
export class ByteQueue {
  private pieces: Uint8Array[] = [];
  private bytes = 0;

  get size(): number {
    return this.bytes;
  }

  add(piece: Uint8Array): void {
    if (piece.byteLength === 0) return;
    this.pieces.push(piece);
    this.bytes += piece.byteLength;
  }

  /** Takes so many bytes, or all when there are fewer. They may share their memory with the pieces. */
  take(count: number): Uint8Array {
    const [first] = this.pieces;
    if (first === undefined || count === 0) return new Uint8Array(0);
    if (first.byteLength > count) {
      this.pieces[0] = first.subarray(count);
      this.bytes -= count;
      return first.subarray(0, count);
    }
    const taken: Uint8Array[] = [];
    for (let missing = Math.min(count, this.bytes); missing > 0; ) {
      const piece = this.pieces[0] as Uint8Array;
      const part = piece.subarray(0, missing);
      taken.push(part);
      missing -= part.byteLength;
      this.bytes -= part.byteLength;
      if (part.byteLength === piece.byteLength) this.pieces.shift();
      else this.pieces[0] = piece.subarray(part.byteLength);
    }
    return taken.length === 1 ? (taken[0] as Uint8Array) : Buffer.concat(taken);
  }

  /** Takes as many bytes as fit, copied into the target. @returns the part of it that was filled */
  takeInto(target: Uint8Array): Uint8Array {
    const filled = target.subarray(0, Math.min(target.byteLength, this.bytes));
    for (let at = 0; at < filled.byteLength; ) {
      const part = this.take(Math.min(filled.byteLength - at, this.pieces[0]?.byteLength ?? 0));
      filled.set(part, at);
      at += part.byteLength;
    }
    return filled;
  }
}
