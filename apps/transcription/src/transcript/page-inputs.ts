import { AppError } from '@parlance/platform';
import type { SpeakerTurn } from '@parlance/transcript';

/**
 * The inputs that a page was made from. Several processes may write the pages of one transcript at once, such as one that was suspended and
 * the one that has taken over its work. Of two writers, the one with the newer inputs wins on each page, whichever is faster.
 */
export interface PageInputs {
  /** The run whose plan the chunks were cut by. */
  planRun: number;
  /** The run of the turns that gave the words their speakers; 0: none. */
  turnsRun: number;
}

/** Turns to write into pages, with the run that they are of. */
export interface RunTurns {
  run: number;
  spoken: readonly SpeakerTurn[];
}

/** A page of a version before has no inputs, and is older than any other. */
const UNKNOWN_INPUTS: PageInputs = { planRun: 0, turnsRun: 0 };

export const isNewer = (one: PageInputs = UNKNOWN_INPUTS, other: PageInputs): boolean => (one.planRun === other.planRun ? one.turnsRun > other.turnsRun : one.planRun > other.planRun);

/** Another process has written pages from newer inputs. Nothing was written over them; a further try reads the newer inputs as well. */
export class PagesOvertaken extends AppError {
  constructor() {
    super({ kind: 'unavailable', code: 'transcript_changing', message: 'Another process writes newer pages of the transcript.' });
  }
}
