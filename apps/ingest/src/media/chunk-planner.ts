import type { SpeechRegion } from '@parlance/transcript';

export interface ChunkLengths {
  /** Seconds that suit the engine best. */
  idealSeconds: number;
  /** Seconds that one engine call may have at most, overlap included. */
  maxSeconds: number;
}

/** A planned chunk before its audio has a place; positions in seconds, see `PlannedChunk` of libs/transcript. */
interface ChunkRange {
  start: number;
  end: number;
  ownStart: number;
  ownEnd: number;
  speech: SpeechRegion[];
}

/** A shorter pause may be inside a word. */
const MIN_SILENCE = 0.3;
/** Speech keeps this distance from a cut in a long silence. */
const MARGIN = 1;
/** Neighbours without a silence between them share this much audio, so that each word is whole in one of them. */
const OVERLAP = 2;

/**
 * Cuts audio into pieces for the engine: in the silence nearest to the ideal length, between half of it and the maximum;
 * where there is none, in speech with an overlap around the cut.
 * @param regions speech in order, not overlapping.
 * @returns chunks whose own ranges tile [0, duration]; none is longer than the maximum.
 */
export function planChunks(regions: readonly SpeechRegion[], duration: number, lengths: ChunkLengths): ChunkRange[] {
  const maxSeconds = wholeMilliseconds(lengths.maxSeconds);
  const ideal = Math.min(wholeMilliseconds(lengths.idealSeconds), maxSeconds);
  /** Seconds of audio that each side includes past a cut in speech. */
  const overreach = wholeMilliseconds(Math.min(OVERLAP, ideal / 4) / 2);
  const silences = silencesBetween(regions, duration);
  const chunks: ChunkRange[] = [];
  let start = 0;
  let ownStart = 0;
  let nextRegion = 0;
  let nextSilence = 0;

  const add = (end: number, ownEnd: number) => {
    while ((regions[nextRegion]?.end ?? Infinity) <= start) nextRegion += 1;
    chunks.push({ start, end, ownStart, ownEnd, speech: clip(regions, nextRegion, start, end) });
  };

  // A rest of up to one and a half ideal lengths stays whole, rather than to leave a scrap.
  while (duration - start > Math.min(maxSeconds, ideal * 1.5)) {
    while ((silences[nextSilence]?.end ?? Infinity) <= start) nextSilence += 1;
    const quiet = quietCut(silences, nextSilence, { from: start + ideal / 2, target: start + ideal, to: start + maxSeconds });
    const cut = quiet ?? milliseconds(Math.min(start + ideal, start + maxSeconds - overreach));
    const reach = quiet === undefined ? overreach : 0;
    add(Math.min(milliseconds(cut + reach), duration), cut);
    start = milliseconds(cut - reach);
    ownStart = cut;
  }
  if (duration > ownStart) add(duration, duration);
  return chunks;
}

function silencesBetween(regions: readonly SpeechRegion[], duration: number): SpeechRegion[] {
  const edges = [{ start: 0, end: 0 }, ...regions, { start: duration, end: duration }];
  return edges
    .slice(1)
    .map((next, index) => ({ start: edges[index]?.end ?? 0, end: next.start }))
    .filter(({ start, end }) => end - start >= MIN_SILENCE);
}

interface CutWindow {
  from: number;
  target: number;
  to: number;
}

/** The quiet point nearest to the target: the middle of a short silence, in a long one as near as the margin allows. */
function quietCut(silences: readonly SpeechRegion[], first: number, { from, target, to }: CutWindow): number | undefined {
  let best: number | undefined;
  for (let index = first; index < silences.length; index += 1) {
    const { start, end } = silences[index] as SpeechRegion;
    if (start > to) break;
    const margin = Math.min((end - start) / 2, MARGIN);
    const cut = milliseconds(Math.min(Math.max(target, start + margin), end - margin));
    if (cut < from || cut > to) continue;
    if (best === undefined || Math.abs(cut - target) < Math.abs(best - target)) best = cut;
  }
  return best;
}

function clip(regions: readonly SpeechRegion[], first: number, start: number, end: number): SpeechRegion[] {
  const inside: SpeechRegion[] = [];
  for (let index = first; index < regions.length; index += 1) {
    const region = regions[index] as SpeechRegion;
    if (region.start >= end) break;
    inside.push({ start: Math.max(region.start, start), end: Math.min(region.end, end) });
  }
  return inside;
}

/** Cuts lie on whole milliseconds: 16 samples, and exact in JSON. */
const wholeMilliseconds = (seconds: number): number => Math.floor(seconds * 1000) / 1000;
const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
