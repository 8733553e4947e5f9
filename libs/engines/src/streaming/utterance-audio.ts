import { RecentBytes } from '@parlance/platform';

const SAMPLE_BYTES = 2;

/** The last part of a stream of audio: s16le, 16 kHz, one channel. Positions are samples from the start of the stream. */
export class UtteranceAudio {
  private readonly bytes = new RecentBytes();

  /** Whole samples. */
  get end(): number {
    return Math.floor(this.bytes.end / SAMPLE_BYTES);
  }

  append(pcm: Uint8Array): void {
    this.bytes.append(pcm);
  }

  /** A copy of the samples from `start` to `end`, as far as they are held. */
  slice(start: number, end: number): Uint8Array {
    return this.bytes.copy(start * SAMPLE_BYTES, end * SAMPLE_BYTES);
  }

  /** The samples from `start` to `end`, as far as they are held, where they lie: valid until they are dropped. */
  parts(start: number, end: number): Uint8Array[] {
    return this.bytes.parts(start * SAMPLE_BYTES, end * SAMPLE_BYTES);
  }

  /** Forgets the samples before `start`. */
  dropBefore(start: number): void {
    this.bytes.release(start * SAMPLE_BYTES);
  }
}
