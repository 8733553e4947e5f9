import { SAMPLE_RATE } from './decoder-arguments.js';

/** 32 ms: shorter than a syllable. */
const FRAME_SAMPLES = 512;
const BYTES_PER_SAMPLE_PAIR = 4;

/** A channel whose loud frames stay below this level is silent; dB of full scale. */
const SILENT_DB = -60;
/** A channel is as loud as this share of its frames is at least; few enough for one who says little. */
const LOUD_SHARE = 0.02;
/** A channel is active within this distance of its loud frames: crosstalk and echo that an engine could recognize count as active; dB. */
const ACTIVE_RANGE_DB = 24;
/** Seconds in which each channel must be active alone. */
const MIN_ALONE_SECONDS = 0.4;
/**
 * Share of the active time in which only one channel is active. Measured on 26 s and more: people taking turns 0.8 to 1, with
 * crosstalk of -20 dB 0.66, two who speak at once the whole time 0.32 to 0.5; one sound in stereo (delay, reverberation, panning)
 * at most 0.16, crosstalk of -15 dB 0.17 to 0.27.
 */
const MIN_ALONE_SHARE = 0.3;

/**
 * Finds out whether two channels have different sources, as a call with a speaker on each, or are one sound in stereo. It compares
 * when each channel is active, by its own level: neither loudness, nor delay or phase between microphones matter.
 */
export class ChannelDifference {
  private readonly levels: [left: number[], right: number[]] = [[], []];
  private readonly sums: [left: number, right: number] = [0, 0];
  private samples = 0;
  private rest = new Uint8Array(0);

  /** Adds decoded audio: s16le, 16 kHz, samples of the two channels in turn, in pieces of any length. */
  add(piece: Uint8Array): void {
    const bytes = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const end = bytes.length - (bytes.length % BYTES_PER_SAMPLE_PAIR);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < end; at += BYTES_PER_SAMPLE_PAIR) this.addPair(view.getInt16(at, true), view.getInt16(at + 2, true));
    this.rest = bytes.slice(end);
  }

  /** Seconds of audio that were added. */
  get seconds(): number {
    return secondsOf(this.levels[0].length);
  }

  get areDifferent(): boolean {
    const [left, right] = this.levels;
    const [leftFrom, rightFrom] = [activeFrom(left), activeFrom(right)];
    let [leftAlone, rightAlone, both] = [0, 0, 0];
    for (const [frame, level] of left.entries()) {
      const isLeft = level >= leftFrom;
      const isRight = (right[frame] ?? -Infinity) >= rightFrom;
      if (isLeft && isRight) both += 1;
      else if (isLeft) leftAlone += 1;
      else if (isRight) rightAlone += 1;
    }
    const alone = leftAlone + rightAlone;
    return secondsOf(Math.min(leftAlone, rightAlone)) >= MIN_ALONE_SECONDS && alone / (alone + both) >= MIN_ALONE_SHARE;
  }

  private addPair(left: number, right: number): void {
    this.sums[0] += left * left;
    this.sums[1] += right * right;
    this.samples += 1;
    if (this.samples < FRAME_SAMPLES) return;
    for (const channel of [0, 1] as const) {
      this.levels[channel].push(decibels(this.sums[channel] / FRAME_SAMPLES));
      this.sums[channel] = 0;
    }
    this.samples = 0;
  }
}

/** The level from which a channel is active; never for a silent one. */
function activeFrom(levels: readonly number[]): number {
  const loud = levels.toSorted((one, other) => other - one)[Math.floor(levels.length * LOUD_SHARE)] ?? -Infinity;
  return loud < SILENT_DB ? Infinity : loud - ACTIVE_RANGE_DB;
}

const secondsOf = (frames: number): number => (frames * FRAME_SAMPLES) / SAMPLE_RATE;

/** A level relative to full scale; that of digital silence is -Infinity. */
const decibels = (meanSquare: number): number => 10 * Math.log10(meanSquare / 32_768 ** 2);
