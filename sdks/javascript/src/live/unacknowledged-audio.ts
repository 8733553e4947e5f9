/** Audio that the server has not stored yet, in order. */
export class UnacknowledgedAudio {
  #pieces: { offset: number; bytes: Uint8Array<ArrayBuffer> }[] = [];
  /** Bytes of the session so far. */
  #end = 0;

  /** The bytes that are kept. */
  get size(): number {
    return this.#end - (this.#pieces[0]?.offset ?? this.#end);
  }

  add(bytes: Uint8Array<ArrayBuffer>): void {
    this.#pieces.push({ offset: this.#end, bytes });
    this.#end += bytes.length;
  }

  /** Drops what lies before the offset. */
  acknowledge(offset: number): void {
    const first = this.#pieces.findIndex((piece) => piece.offset + piece.bytes.length > offset);
    this.#pieces = first === -1 ? [] : this.#pieces.slice(first);
    const [piece] = this.#pieces;
    if (piece && piece.offset < offset) this.#pieces[0] = { offset, bytes: piece.bytes.subarray(offset - piece.offset) };
  }

  /** Everything that has to be sent again. */
  pieces(): Uint8Array<ArrayBuffer>[] {
    return this.#pieces.map(({ bytes }) => bytes);
  }
}
