const SAMPLE_BYTES = 2;

/** The last part of a stream of audio: s16le, 16 kHz, one channel. Positions are samples from the start of the stream. */
export class UtteranceAudio {
  private blocks: Uint8Array[] = [];
  /** Bytes of the stream before the first block. */
  private dropped = 0;
  private bytes = 0;

  /** Whole samples. */
  get end(): number {
    return Math.floor((this.dropped + this.bytes) / SAMPLE_BYTES);
  }

  append(pcm: Uint8Array): void {
    this.blocks.push(pcm);
    this.bytes += pcm.byteLength;
  }

  /** A copy of the samples from `start` to `end`, as far as they are held. */
  slice(start: number, end: number): Uint8Array {
    const from = Math.max(start * SAMPLE_BYTES - this.dropped, 0);
    const to = Math.min(end * SAMPLE_BYTES - this.dropped, this.bytes);
    const copy = new Uint8Array(Math.max(to - from, 0));
    let at = 0;
    for (const block of this.blocks) {
      const part = block.subarray(Math.max(from - at, 0), Math.max(to - at, 0));
      if (part.byteLength > 0) copy.set(part, Math.max(at - from, 0));
      at += block.byteLength;
    }
    return copy;
  }

  /** Forgets the samples before `start`, in whole blocks. */
  dropBefore(start: number): void {
    const keepFrom = start * SAMPLE_BYTES - this.dropped;
    let bytes = 0;
    let count = 0;
    for (const block of this.blocks) {
      if (bytes + block.byteLength > keepFrom) break;
      bytes += block.byteLength;
      count += 1;
    }
    this.blocks.splice(0, count);
    this.dropped += bytes;
    this.bytes -= bytes;
  }
}
