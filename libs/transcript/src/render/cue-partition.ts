import type { CaptionOptions } from './caption-options.js';
import type { CaptionToken } from './caption-token.js';
import { LineFiller } from './line-breaks.js';

/** Tokens `from` to before `to`. */
export interface CueRange {
  from: number;
  to: number;
  first: CaptionToken;
  last: CaptionToken;
  /** The first token of the cue after this one. */
  next: CaptionToken | undefined;
  /** Columns to read, label included. */
  width: number;
}

interface PartitionInput {
  tokens: readonly CaptionToken[];
  /** Milliseconds; the last cue may stay until then. */
  limit: number;
  options: CaptionOptions;
  /** Columns the label takes in a cue that begins with this token. */
  indentAt: (token: number) => number;
}

/** Costs: a cue too short to be read is far worse than any break; then fewer and fuller cues, broken at phrases and pauses. */
const TOO_SHORT = 200;
const TOO_SHORT_PER_SECOND = 1000;
const PER_CUE = 10;
const EMPTINESS = 6;
const BREAK_AFTER = { sentence: -8, clause: 3, word: 12, piece: 40 } as const;
const PAUSE_BONUS_PER_SECOND = 16;
const MAX_PAUSE_BONUS = 8;

/**
 * Splits one speaker's uninterrupted tokens into cues: the cheapest of all partitions whose cues fit the lines and the
 * maximum duration, found by dynamic programming from the end.
 */
export function partitionIntoCues(input: PartitionInput): CueRange[] {
  const { length } = input.tokens;
  const costs = new Float64Array(length + 1);
  const choices: CueRange[] = [];
  for (let from = length - 1; from >= 0; from--) {
    let lowest = Infinity;
    for (const range of fittingRanges(from, input)) {
      const cost = costOf(range, input) + (costs[range.to] ?? 0);
      if (cost >= lowest) continue;
      lowest = cost;
      choices[from] = range;
    }
    costs[from] = lowest;
  }
  const ranges: CueRange[] = [];
  for (let range = choices[0]; range; range = choices[range.to]) ranges.push(range);
  return ranges;
}

/** Milliseconds a cue should be seen for this many columns. */
export function requiredDuration(width: number, { minDuration, maxDuration, maxCps }: CaptionOptions): number {
  return Math.min(Math.ceil(Math.max(minDuration * 1000, (width * 1000) / maxCps)), Math.floor(maxDuration * 1000));
}

/** Every cue that may begin with this token; one token alone always may. */
function* fittingRanges(from: number, { tokens, options, indentAt }: PartitionInput): Generator<CueRange> {
  const filler = new LineFiller(options.maxLineChars, indentAt(from));
  let width = indentAt(from);
  let first: CaptionToken | undefined;
  for (let to = from + 1; to <= tokens.length; to++) {
    const last = tokens[to - 1];
    if (!last) return;
    filler.add(last);
    width += last.width + (first ? last.gap.length : 0);
    const isTooLong = first && (filler.lines > options.maxLines || last.end - first.start > options.maxDuration * 1000);
    if (isTooLong) return;
    first ??= last;
    yield { from, to, first, last, next: tokens[to], width };
  }
}

function costOf({ first, last, next, width }: CueRange, { limit, options }: PartitionInput): number {
  const { maxLineChars, maxLines, maxDuration } = options;
  const available = Math.min((next?.start ?? limit) - first.start, maxDuration * 1000);
  const missing = Math.max(0, requiredDuration(width, options) - available) / 1000;
  const emptiness = 1 - width / (maxLineChars * maxLines);
  let cost = PER_CUE + EMPTINESS * emptiness ** 2;
  if (missing > 0) cost += TOO_SHORT + TOO_SHORT_PER_SECOND * missing;
  if (next) {
    const pause = (next.start - last.end) / 1000;
    cost += BREAK_AFTER[last.ending] - Math.min(MAX_PAUSE_BONUS, pause * PAUSE_BONUS_PER_SECOND);
  }
  return cost;
}
