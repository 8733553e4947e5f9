import { SAMPLE_RATE } from '../pcm-format.js';

const FRAME_SAMPLES = SAMPLE_RATE / 50;
/** A cut is put where these frames together, 0.2 s, are the quietest. */
const PAUSE_FRAMES = 10;

/** Half-open range of samples. */
export interface SampleRange {
  from: number;
  to: number;
}

/**
 * Splits a chunk for a model that accepts at most `maxSeconds` at once: into as few pieces as possible, each cut at the
 * quietest place of the later half of its maximum length. The pieces cover the chunk without a gap.
 */
export function splitAtQuiet(samples: Int16Array, maxSeconds: number): SampleRange[] {
  const longest = Math.floor(maxSeconds * SAMPLE_RATE);
  const pieces: SampleRange[] = [];
  let from = 0;
  while (samples.length - from > longest) {
    const to = quietestBetween(samples, from + Math.floor(longest / 2), from + longest);
    pieces.push({ from, to });
    from = to;
  }
  return [...pieces, { from, to: samples.length }];
}

/** The middle of the quietest 0.2 s; of equally quiet ones the last, which makes for fewer pieces. */
function quietestBetween(samples: Int16Array, from: number, to: number): number {
  const energies: number[] = [];
  for (let at = from; at + FRAME_SAMPLES <= to; at += FRAME_SAMPLES) energies.push(energyOf(samples, at));
  let sum = energies.slice(0, PAUSE_FRAMES).reduce((total, energy) => total + energy, 0);
  let best = { sum, end: PAUSE_FRAMES };
  for (let end = PAUSE_FRAMES + 1; end <= energies.length; end += 1) {
    sum += (energies[end - 1] ?? 0) - (energies[end - 1 - PAUSE_FRAMES] ?? 0);
    if (sum <= best.sum) best = { sum, end };
  }
  return Math.min(to, from + Math.round((best.end - PAUSE_FRAMES / 2) * FRAME_SAMPLES));
}

function energyOf(samples: Int16Array, at: number): number {
  let energy = 0;
  for (let index = at; index < at + FRAME_SAMPLES; index += 1) energy += (samples[index] ?? 0) ** 2;
  return energy;
}
