import type { SpeakerTurn } from './speaker-turns.js';

/** Finds turns by time. */
export class TurnIndex {
  private readonly turns: readonly SpeakerTurn[];
  private readonly longest: number;

  constructor(turns: readonly SpeakerTurn[]) {
    this.turns = turns.toSorted((one, other) => one.start - other.start);
    this.longest = turns.reduce((longest, { start, end }) => Math.max(longest, end - start), 0);
  }

  /** Turns that overlap the stretch or end where it begins, in order of start. */
  near(start: number, end: number): SpeakerTurn[] {
    return this.turns.slice(this.firstFrom(start - this.longest), this.firstFrom(end)).filter((turn) => turn.end >= start);
  }

  private startOf(index: number): number {
    return this.turns[index]?.start ?? Infinity;
  }

  private firstFrom(start: number): number {
    let [low, high] = [0, this.turns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.startOf(middle) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
