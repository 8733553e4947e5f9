/** Zero crossings of the filter on each side, and values of its table between two of them. */
const CROSSINGS = 16;
const STEPS = 512;
/** Shape of the Kaiser window: 80 dB of attenuation. */
const BETA = 8;
/** The part of the highest frequency that passes; the filter falls off above it. */
const PASS_BAND = 0.95;

/** One side of a sinc in a Kaiser window. */
const FILTER = Float64Array.from({ length: CROSSINGS * STEPS + 2 }, (_, index) => {
  const x = index / STEPS;
  return x >= CROSSINGS ? 0 : sinc(x) * (bessel(BETA * Math.sqrt(1 - (x / CROSSINGS) ** 2)) / bessel(BETA));
});

/**
 * Changes the sample rate of one channel, while it arrives. The output does not depend on how the input was cut.
 * @see Julius O. Smith, Digital Audio Resampling, ccrma.stanford.edu/~jos/resample
 */
export class Resampler {
  private readonly cutOff: number;
  /** Input samples on each side that an output sample is made of. */
  private readonly reach: number;
  private kept: Float64Array;
  /** Number of the first kept sample in the input. */
  private first: number;
  private made = 0;

  constructor(
    private readonly from: number,
    private readonly to: number,
  ) {
    this.cutOff = PASS_BAND * Math.min(1, to / from);
    this.reach = Math.ceil(CROSSINGS / this.cutOff) + 1;
    this.kept = new Float64Array(this.reach);
    this.first = -this.reach;
  }

  push(samples: Float64Array): Float64Array {
    this.append(samples);
    return this.make(this.first + this.kept.length - this.reach);
  }

  /** Returns the remaining samples: as many in all as fit into the time of the input. */
  end(): Float64Array {
    const total = this.first + this.kept.length;
    this.append(new Float64Array(this.reach + 1));
    return this.make(total);
  }

  private append(samples: Float64Array): void {
    const needed = Math.max(0, Math.floor(this.timeOf(this.made)) - this.reach - this.first);
    const kept = this.kept.subarray(Math.min(needed, this.kept.length));
    this.first += this.kept.length - kept.length;
    this.kept = new Float64Array(kept.length + samples.length);
    this.kept.set(kept);
    this.kept.set(samples, kept.length);
  }

  /** The place of an output sample among the input samples. */
  private timeOf(sample: number): number {
    return (sample * this.from) / this.to;
  }

  /** The output before this place. */
  private make(until: number): Float64Array {
    const count = Math.max(0, Math.ceil((until * this.to) / this.from) - this.made);
    const output = new Float64Array(count);
    for (let index = 0; index < count; index += 1) output[index] = this.sampleAt(this.timeOf(this.made + index));
    this.made += count;
    return output;
  }

  private sampleAt(time: number): number {
    const width = CROSSINGS / this.cutOff;
    const [from, to] = [Math.ceil(time - width) - this.first, Math.floor(time + width) - this.first];
    const [step, place] = [this.cutOff * STEPS, time - this.first];
    let sum = 0;
    for (let index = from; index <= to; index += 1) {
      const at = (index < place ? place - index : index - place) * step;
      // The whole part of a number that is never negative.
      const low = at | 0;
      const value = FILTER[low] as number;
      sum += (this.kept[index] as number) * (value + ((FILTER[low + 1] as number) - value) * (at - low));
    }
    return sum * this.cutOff;
  }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** The modified Bessel function of the first kind, of order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let index = 1; term > 1e-12 * sum; index += 1) {
    term *= (x / (2 * index)) ** 2;
    sum += term;
  }
  return sum;
}
