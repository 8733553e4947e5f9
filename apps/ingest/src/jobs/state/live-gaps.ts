import type { common } from '@parlance/contracts';

/** A stretch that the client of a live session left out, in seconds from its start. */
export interface LiveGap {
  start: number;
  end: number;
}

/** Stretches that the warning names. */
const MAX_NAMED = 10;

/** The warning about the stretches that a live session lacks, if it lacks any. */
export function gapWarnings(gaps: readonly LiveGap[]): common.Warning[] {
  if (gaps.length === 0) return [];
  const missing = gaps.reduce((sum, { start, end }) => sum + end - start, 0);
  const named = gaps.slice(0, MAX_NAMED).map(({ start, end }) => `${seconds(start)} to ${seconds(end)}`);
  const others = gaps.length > MAX_NAMED ? ` and ${gaps.length - MAX_NAMED} more` : '';
  return [{ code: 'audio_gap', message: `The client left out ${seconds(missing)} seconds of audio, which are silence: ${named.join(', ')}${others}.` }];
}

const seconds = (value: number): string => String(Math.round(value * 10) / 10);
