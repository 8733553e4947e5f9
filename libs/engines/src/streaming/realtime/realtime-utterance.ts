import { samplesOf } from '../../speech/pcm-format.js';
import type { RealtimeConnection } from './realtime-connection.js';
import { Upsampler } from './upsampler.js';

/** The server refuses to commit less than 100 ms. */
const MIN_SAMPLES = 3200;

/**
 * One utterance on its way: its audio is kept until the transcript is there, so that another connection can begin with it again.
 */
export class RealtimeUtterance {
  /** The server's name for it, on the present connection. */
  itemId: string | undefined;
  /** The deltas of the present connection. */
  text = '';
  readonly transcript: Promise<string>;
  readonly resolve: (transcript: string) => void;
  readonly reject: (error: unknown) => void;
  private readonly blocks: Uint8Array[] = [];
  private readonly upsampler: Upsampler | undefined;
  private samples = 0;
  private isEnded = false;
  /** On the present connection. */
  private sent = 0;
  private isCommitted = false;

  /** @param rate of the server: 16 or 24 kHz */
  constructor(rate: number) {
    this.upsampler = rate === 24_000 ? new Upsampler() : undefined;
    ({ promise: this.transcript, resolve: this.resolve, reject: this.reject } = Promise.withResolvers<string>());
    // The session awaits it in the order of utterances.
    this.transcript.catch(() => {});
  }

  get isSent(): boolean {
    return this.sent === this.blocks.length && this.isCommitted === this.isEnded;
  }

  get isWaiting(): boolean {
    return this.isCommitted;
  }

  append(pcm: Uint8Array): void {
    const samples = samplesOf(pcm);
    this.samples += samples.length;
    this.keep(this.upsampler ? this.upsampler.push(samples) : samples.slice());
  }

  end(): void {
    if (this.samples < MIN_SAMPLES) this.append(new Uint8Array(2 * (MIN_SAMPLES - this.samples)));
    if (this.upsampler) this.keep(this.upsampler.end());
    this.isEnded = true;
  }

  /** Nothing of it is known to the next connection. */
  forget(): void {
    this.itemId = undefined;
    this.text = '';
    this.sent = 0;
    this.isCommitted = false;
  }

  async sendTo(connection: RealtimeConnection): Promise<void> {
    for (let block = this.blocks[this.sent]; block; block = this.blocks[this.sent]) {
      this.sent += 1;
      await connection.append(block);
    }
    if (!this.isEnded || this.isCommitted) return;
    this.isCommitted = true;
    await connection.commit();
  }

  private keep(samples: Int16Array): void {
    if (samples.length > 0) this.blocks.push(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  }
}
