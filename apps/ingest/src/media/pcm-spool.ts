import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { BYTES_PER_SECOND } from './audio-decoder.js';

interface SpoolOptions {
  /** Called before so many seconds in all are on the disk. */
  admit: (seconds: number) => Promise<void>;
  /** Called after so many bytes more are. */
  onWritten: (bytes: number) => void;
}

/** Decoded audio in a scratch file: written once while it is listened to, then read by ranges. Memory holds one block. */
export class PcmSpool {
  #bytes = 0;
  #complete = false;

  constructor(
    private readonly file: string,
    private readonly options: SpoolOptions,
  ) {}

  /** Seconds written so far, in whole milliseconds. */
  get duration(): number {
    return Math.floor((this.#bytes / BYTES_PER_SECOND) * 1000) / 1000;
  }

  /** The source was read to its end. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Passes the audio on, each block after it was written. */
  async *record(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const handle = await open(this.file, 'w');
    try {
      for await (const block of pcm) {
        await this.options.admit((this.#bytes + block.length) / BYTES_PER_SECOND);
        await handle.appendFile(block);
        this.#bytes += block.length;
        this.options.onWritten(block.length);
        yield block;
      }
      this.#complete = true;
    } finally {
      await handle.close();
    }
  }

  /** @param start @param end seconds. */
  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    // Opened when it is read: a store that fails before that would leave the file open.
    yield* createReadStream(this.file, { start: byteAt(start), end: byteAt(end) - 1 });
  }
}

/** Always between two samples. */
const byteAt = (seconds: number): number => Math.round((seconds * BYTES_PER_SECOND) / 2) * 2;
