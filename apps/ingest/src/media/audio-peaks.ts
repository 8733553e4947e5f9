import { PEAKS_PER_SECOND } from '@parlance/contracts';
import { SAMPLE_RATE } from './decoder-arguments.js';

const SAMPLES_PER_WINDOW = SAMPLE_RATE / PEAKS_PER_SECOND;
/** Bytes of the peaks of about 80 minutes. */
const INITIAL_BYTES = 512 * 1024;

/** The lowest and the highest sample of each window of a recording, over all channels: 100 bytes for each second. */
export class AudioPeaks {
  private peaks = new Int8Array(INITIAL_BYTES);
  private length = 0;
  private low = 0;
  private high = 0;
  private samples = 0;
  private rest: Uint8Array = new Uint8Array(0);

  constructor(private readonly channels: number) {}

  /** @param block s16le, the samples of the channels in turn; may end within a sample */
  add(block: Uint8Array): void {
    const bytes = this.rest.length === 0 ? block : Buffer.concat([this.rest, block]);
    const whole = bytes.length - (bytes.length % 2);
    this.rest = bytes.slice(whole);
    this.addSamples(new DataView(bytes.buffer, bytes.byteOffset, whole));
  }

  private addSamples(view: DataView): void {
    const perWindow = SAMPLES_PER_WINDOW * this.channels;
    for (let at = 0; at < view.byteLength; at += 2) {
      const sample = view.getInt16(at, true);
      if (sample < this.low) this.low = sample;
      if (sample > this.high) this.high = sample;
      this.samples += 1;
      if (this.samples === perWindow) this.endWindow();
    }
  }

  /** All of them; of the last window what there is. */
  bytes(): Uint8Array {
    if (this.samples > 0) this.endWindow();
    return new Uint8Array(this.peaks.buffer, 0, this.length);
  }

  /** The peaks of tracks that are played together: the lowest and the highest of them in each window. */
  static ofTracks(tracks: readonly AudioPeaks[]): Uint8Array {
    const all = tracks.map((track) => new Int8Array(track.bytes().slice().buffer));
    const peaks = new Int8Array(Math.max(0, ...all.map(({ length }) => length)));
    for (const track of all) {
      for (const [at, level] of track.entries()) peaks[at] = at % 2 === 0 ? Math.min(peaks[at] ?? 0, level) : Math.max(peaks[at] ?? 0, level);
    }
    return new Uint8Array(peaks.buffer);
  }

  private endWindow(): void {
    if (this.length === this.peaks.length) this.grow();
    // 127 of a full scale of 32,767: a sample of -32,768 has -127 as well.
    this.peaks[this.length] = Math.max(-127, Math.round(this.low / 258));
    this.peaks[this.length + 1] = Math.round(this.high / 258);
    this.length += 2;
    [this.low, this.high, this.samples] = [0, 0, 0];
  }

  private grow(): void {
    const larger = new Int8Array(this.peaks.length * 2);
    larger.set(this.peaks);
    this.peaks = larger;
  }
}
