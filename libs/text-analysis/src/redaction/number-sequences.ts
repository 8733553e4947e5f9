import { isDigits, numberRuns, placeOf } from './number-runs.js';
import type { PlaceFinder } from './policy.js';

/** Digits of the shortest sequence: a year has four. */
const MIN_DIGITS = 5;

/** Digits in a row that may be a number of an account, an order or a contract, whatever it is. */
export const findNumberSequences: PlaceFinder = (text) =>
  numberRuns(text, isDigits).filter(({ compact }) => compact.length >= MIN_DIGITS).map((run) => ({ policy: 'number_sequence', ...placeOf(run, 0, run.compact.length), value: run.compact }));
