const ZERO_CROSSINGS = 12;
/** Input samples on each side of an output sample that it is made of. */
const REACH = ZERO_CROSSINGS;
/** Cuts at the input's own band limit. */
const phase = (offset: number): Float64Array => Float64Array.from({ length: 2 * REACH }, (_, nth) => tap(nth - REACH + 1 - offset));

/** A windowed sinc (Hann). */
function tap(distance: number): number {
  if (distance === 0) return 1;
  if (Math.abs(distance) >= REACH) return 0;
  const angle = Math.PI * distance;
  return (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / REACH));
}

/** Output samples lie at 0, 2/3 and 1 1/3 of each two input samples. */
const PHASES = [phase(0), phase(2 / 3), phase(1 / 3)].map(normalized);

/** A constant stays as it is. */
function normalized(taps: Float64Array): Float64Array {
  const sum = taps.reduce((total, value) => total + value, 0);
  return taps.map((value) => value / sum);
}

/** Turns 16 kHz into 24 kHz, one stream after its first sample; what comes out does not depend on how the input is divided. */
export class Upsampler {
  private held = new Int16Array(REACH - 1);
  /** Samples of the stream before the held ones; the first held ones are silence. */
  private dropped = 1 - REACH;
  private written = 0;

  push(samples: Int16Array): Int16Array {
    const all = new Int16Array(this.held.length + samples.length);
    all.set(this.held);
    all.set(samples, this.held.length);
    const end = this.dropped + all.length;
    const output: number[] = [];
    for (; centerOf(this.written) + REACH < end; this.written += 1) output.push(this.at(all));
    const keepFrom = Math.max(0, centerOf(this.written) - REACH + 1 - this.dropped);
    this.held = all.slice(keepFrom);
    this.dropped += keepFrom;
    return Int16Array.from(output);
  }

  /** The last samples, as if silence followed. */
  end(): Int16Array {
    return this.push(new Int16Array(REACH));
  }

  private at(all: Int16Array): number {
    const taps = PHASES[this.written % 3] as Float64Array;
    const from = centerOf(this.written) - REACH + 1 - this.dropped;
    let sum = 0;
    for (let nth = 0; nth < taps.length; nth += 1) sum += (taps[nth] ?? 0) * (all[from + nth] ?? 0);
    return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
  }
}

/** The input sample at or before an output sample. */
const centerOf = (output: number): number => Math.floor((output * 2) / 3);
