import { SAMPLE_RATE } from '../pcm-format.js';

export const FRAME_SECONDS = 0.02;
export const FRAME_SAMPLES = SAMPLE_RATE * FRAME_SECONDS;
/** Quiet frames of this length in a row are a pause. */
export const PAUSE_SECONDS = 0.3;
/** A frame is quiet below this share of the way, in decibels, from the noise floor to the speech level. */
const QUIET_SHARE = 0.3;

/** Returns for each frame of a chunk whether it is quiet, measured by the noise floor and the speech level of that chunk. */
export function quietFrames(samples: Int16Array): boolean[] {
  const levels = frameLevels(samples);
  const quiet = quietBelow(levels);
  return Array.from(levels, (level) => level < quiet);
}

/** Root mean square of each frame, in dB below full scale. */
function frameLevels(samples: Int16Array): Float32Array {
  const levels = new Float32Array(Math.floor(samples.length / FRAME_SAMPLES));
  for (let frame = 0; frame < levels.length; frame += 1) {
    let energy = 0;
    for (let index = frame * FRAME_SAMPLES; index < (frame + 1) * FRAME_SAMPLES; index += 1) {
      energy += (samples[index] ?? 0) ** 2;
    }
    levels[frame] = 10 * Math.log10(energy / FRAME_SAMPLES / 32768 ** 2 + 1e-10);
  }
  return levels;
}

function quietBelow(levels: Float32Array): number {
  const sorted = levels.toSorted();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const floor = Math.max(at(0.05), -70);
  const speech = at(0.9);
  return floor + QUIET_SHARE * (speech - floor);
}
