// Turns the speech probabilities of successive windows into regions of speech. Same rules and figures as sherpa-onnx 1.13
// (csrc/silero-vad-model.cc and csrc/voice-activity-detector.cc, Apache-2.0), written anew, so that regions did not change with
// the runtime. All times are counts of samples.

/** Samples that each probability stands for; the model accepts no other size at 16 kHz. */
export const WINDOW = 512;

/** Samples of a window and the 64 beside it that the model takes as context. */
export const FRAME = WINDOW + 64;

/** A region of speech ends when the probability falls this far below the threshold. */
const HYSTERESIS = 0.15;

/** Apply when a region reaches its maximum length, so that it ends at the next short or doubtful pause. */
const LONG_REGION = { threshold: 0.9, minSilence: 1600 };

export class SpeechRegions {
  #limits;
  #judged = 0;
  /** End of the last region, or where the look-back of the next one begins; regions never overlap. */
  #earliestStart = 0;
  /** First sample of the open region. */
  #start;
  #speaking = false;
  /** The position at which the probability first exceeded the threshold. */
  #loudSince;
  /** The position at which it first fell below the threshold again. */
  #quietSince;

  /** @param {{ threshold: number, minSilence: number, minSpeech: number, maxSpeech: number }} limits */
  constructor(limits) {
    this.#limits = limits;
  }

  /**
   * @param {number} probability of speech in the next window
   * @returns {[from: number, to: number] | undefined} the region that ended with this window
   */
  accept(probability) {
    const tooLong = this.#judged - this.#earliestStart > this.#limits.maxSpeech;
    const { threshold, minSilence } = tooLong ? LONG_REGION : this.#limits;
    this.#judged += WINDOW;
    const lookBack = this.#judged - 2 * FRAME - this.#limits.minSpeech;
    if (this.#isSpeech(probability, threshold, minSilence)) {
      this.#start ??= Math.max(lookBack, this.#earliestStart);
      return undefined;
    }
    if (this.#start === undefined) {
      this.#earliestStart = Math.max(lookBack, this.#earliestStart);
      return undefined;
    }
    const region = [this.#start, this.#judged - minSilence];
    this.#start = undefined;
    this.#earliestStart = region[1];
    return region;
  }

  /** @returns {[from: number, to: number] | undefined} the region that was open at the end of the recording */
  end() {
    return this.#start === undefined ? undefined : [this.#start, this.#judged];
  }

  #isSpeech(probability, threshold, minSilence) {
    return this.#speaking ? this.#continues(probability, threshold, minSilence) : this.#begins(probability, threshold);
  }

  #begins(probability, threshold) {
    if (probability <= threshold) {
      this.#loudSince = undefined;
      return false;
    }
    this.#loudSince ??= this.#judged;
    // The first window above the threshold never suffices, however short minSpeech is.
    this.#speaking = this.#judged > this.#loudSince && this.#judged - this.#loudSince >= this.#limits.minSpeech;
    return this.#speaking;
  }

  #continues(probability, threshold, minSilence) {
    if (probability > threshold) this.#quietSince = undefined;
    if (probability > threshold - HYSTERESIS) return true;
    this.#quietSince ??= this.#judged;
    if (this.#judged - this.#quietSince < minSilence) return true;
    this.#speaking = false;
    this.#loudSince = undefined;
    this.#quietSince = undefined;
    return false;
  }
}
