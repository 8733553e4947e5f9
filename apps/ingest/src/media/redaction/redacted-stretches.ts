import type { transcripts } from '@parlance/contracts';

/** A part of a recording, in seconds. */
export interface Stretch {
  start: number;
  end: number;
}

/** Seconds before and after each word: engines find the edges of words to about a tenth of a second. */
const MARGIN = 0.15;

interface StretchOptions {
  /** The engine gave no times of words: they share out the time of their segment. */
  areTimesEstimated: boolean;
}

/**
 * The parts of a recording in which redacted words are said, in order and apart. Where the times of words are estimated, the whole
 * segment is one.
 */
export async function redactedStretches(segments: AsyncIterable<transcripts.Segment>, { areTimesEstimated }: StretchOptions): Promise<Stretch[]> {
  const found: Stretch[] = [];
  for await (const segment of segments) {
    const words = segment.words.filter(({ redacted }) => redacted !== undefined);
    if (words.length > 0) found.push(...(areTimesEstimated ? [segment] : words).map(withMargin));
  }
  return joined(found.toSorted((one, other) => one.start - other.start));
}

const withMargin = ({ start, end }: Stretch): Stretch => ({ start: Math.max(0, start - MARGIN), end: end + MARGIN });

function joined(sorted: readonly Stretch[]): Stretch[] {
  const apart: Stretch[] = [];
  for (const { start, end } of sorted) {
    const last = apart.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else apart.push({ start, end });
  }
  return apart;
}
