/** A stretch with speech; seconds from the chunk's start. */
export interface SpeechInterval {
  start: number;
  end: number;
}

interface Timed {
  start: number;
  end: number;
}

/** Engines place words up to this far from the voice detector's regions. */
const GATE_TOLERANCE_SECONDS = 0.3;

/** Drops the words that do not touch any region widened by the tolerance: an engine makes up words in silence, noise and music. */
export function gateWords<W extends Timed>(
  words: readonly W[],
  regions: readonly SpeechInterval[],
  toleranceSeconds: number = GATE_TOLERANCE_SECONDS,
): W[] {
  return words.filter((word) =>
    regions.some((region) => word.start <= region.end + toleranceSeconds && word.end >= region.start - toleranceSeconds),
  );
}
