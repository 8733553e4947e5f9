import { COEFFICIENTS } from './mfcc.js';
import { GaussianStatistics } from './gaussian.js';
import { bayesianModel, voiceOf } from './speaker-model.js';

/** Frames on either side of a possible change, from one to the next, and between two changes at least. */
const WINDOW = 250;
const STEP = 10;
const APART = 50;
const CHANGE = bayesianModel(1);

interface PossibleChange {
  frame: number;
  /** Positive where two voices describe the windows better than one. */
  score: number;
}

/**
 * Finds where another voice may begin: peaks of the distance between a window before and a window after (Siegler et al. 1997).
 * Too many are better than too few, since clustering joins pieces of one voice.
 * @returns frames in ascending order, neither the first nor the last.
 */
export function changePoints(frames: Float32Array): number[] {
  const count = frames.length / COEFFICIENTS;
  const possible: PossibleChange[] = [];
  for (let frame = APART; frame <= count - APART; frame += STEP) possible.push({ frame, score: scoreAt(frames, frame) });
  return possible.filter((change, index) => change.score > 0 && isPeak(possible, index, change.score)).map(({ frame }) => frame);
}

/** Among equal values, the first is the peak. */
function isPeak(possible: readonly PossibleChange[], index: number, score: number): boolean {
  const reach = APART / STEP;
  for (let at = Math.max(0, index - reach + 1); at < Math.min(possible.length, index + reach); at++) {
    const other = possible[at];
    if (other && (other.score > score || (other.score === score && at < index))) return false;
  }
  return true;
}

/** For one score each. */
const BEFORE = new GaussianStatistics(COEFFICIENTS);
const AFTER = new GaussianStatistics(COEFFICIENTS);

function scoreAt(frames: Float32Array, frame: number): number {
  const count = frames.length / COEFFICIENTS;
  const before = statisticsOf(frames, Math.max(0, frame - WINDOW), frame, BEFORE);
  const after = statisticsOf(frames, frame, Math.min(count, frame + WINDOW), AFTER);
  return CHANGE.distance(voiceOf(before), voiceOf(after));
}

export function statisticsOf(frames: Float32Array, from: number, to: number, into = new GaussianStatistics(COEFFICIENTS)): GaussianStatistics {
  into.clear();
  into.addFrames(frames, from, to);
  return into;
}
