import type { ClusterModel } from '../clustering.js';
import { COEFFICIENTS } from './mfcc.js';
import { GaussianStatistics, logDeterminant } from './gaussian.js';

/** Keeps the covariance of a short piece from being singular; a thousandth of what speech has. */
const VARIANCE_FLOOR = 0.05;
/** Numbers that a Gaussian of full covariance has. */
const PARAMETERS = COEFFICIENTS + (COEFFICIENTS * (COEFFICIENTS + 1)) / 2;
/** Frames beyond this count describe a change of the room rather than another person. */
const TELLING_FRAMES = 6000;

/** A piece of speech, or all speech of one speaker so far. */
export interface Voice {
  statistics: GaussianStatistics;
  logDeterminant: number;
  /** Frames that tell something: what is played again, in a loop or as a jingle, counts once. */
  evidence: number;
}

export function voiceOf(statistics: GaussianStatistics, evidence = statistics.count): Voice {
  return { statistics, logDeterminant: logDeterminant(statistics.covariance(VARIANCE_FLOOR, COVARIANCE), COEFFICIENTS), evidence };
}

/** For one look each, of which an hour of talk needs a million: arrays of their own would be garbage by the gigabyte. */
const COVARIANCE = new Float64Array(PARAMETERS - COEFFICIENTS);
const TOGETHER = new GaussianStatistics(COEFFICIENTS);

/**
 * The Bayesian information criterion as a distance (Chen and Gopalakrishnan 1998): negative where one Gaussian describes two
 * voices better, given that two Gaussians have twice as many numbers. Of long voices no more than a minute each is weighed.
 * @param penalty how much those numbers weigh; 1 is the theory, for frames that have nothing to do with each other
 */
export const bayesianModel = (penalty: number): ClusterModel<Voice> => ({
  distance: (one, other) => {
    const [count, otherCount] = [telling(one), telling(other)];
    const likelihood = likelihoodRatio(one, other) * (harmonic(count, otherCount) / harmonic(one.statistics.count, other.statistics.count));
    return likelihood - (penalty / 2) * PARAMETERS * Math.log(count + otherCount);
  },
  merge,
});

/** How much better do two Gaussians describe the frames than one? The answer is a logarithm. */
function likelihoodRatio(one: Voice, other: Voice): number {
  return likelihoodLost(voiceOf(GaussianStatistics.merged(one.statistics, other.statistics, TOGETHER)), one, other);
}

function likelihoodLost(together: Voice, one: Voice, other: Voice): number {
  const weighed = ({ statistics, logDeterminant }: Voice) => (statistics.count / 2) * logDeterminant;
  return weighed(together) - weighed(one) - weighed(other);
}

/**
 * Two samples of one Gaussian differ by half its numbers, on average (Wilks 1938), and neighbouring frames more. What differs by
 * less is no further sample but the same sound again: counted anew with each repetition, any phrase would become a speaker.
 */
function merge(one: Voice, other: Voice): Voice {
  const together = voiceOf(GaussianStatistics.merged(one.statistics, other.statistics));
  const isCopy = likelihoodLost(together, one, other) < PARAMETERS / 2;
  return { ...together, evidence: isCopy ? Math.max(one.evidence, other.evidence) : one.evidence + other.evidence };
}

const telling = ({ evidence }: Voice): number => Math.min(evidence, TELLING_FRAMES);
const harmonic = (one: number, other: number): number => (one * other) / (one + other);
