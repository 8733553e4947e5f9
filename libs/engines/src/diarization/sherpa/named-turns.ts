import { toMilliseconds } from '../../speech/pcm-format.js';
import type { SpeakerTurn } from '../speaker-diarizer.js';

/** A turn of a person known by number, where one is known; seconds of the media. */
export interface PersonTurn {
  start: number;
  end: number;
  person: number | undefined;
}

/** A shorter pause does not end a turn; block boundaries cut turns as well. */
const PAUSE_SECONDS = 0.5;

/**
 * Returns the turns in order, with people named `S1`, `S2`, … in order of first appearance; a turn of an unknown voice belongs
 * to the previous speaker.
 */
export function namedTurns(turns: readonly PersonTurn[]): SpeakerTurn[] {
  const names = new Map<number, string>();
  const open = new Map<string, SpeakerTurn>();
  const named: SpeakerTurn[] = [];
  let last = 0;
  for (const { start, end, person = last } of turns.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    last = person;
    const speakerId = names.get(person) ?? `S${names.size + 1}`;
    names.set(person, speakerId);
    const before = open.get(speakerId);
    if (before && start - before.end <= PAUSE_SECONDS) {
      before.end = Math.max(before.end, toMilliseconds(end));
      continue;
    }
    const turn = { start: toMilliseconds(start), end: toMilliseconds(end), speakerId };
    open.set(speakerId, turn);
    named.push(turn);
  }
  return named;
}
