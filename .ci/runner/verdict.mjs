import { stripVTControlCharacters } from 'node:util';

/** By this status a part says that nothing could be checked here, and in its last line why (EX_TEMPFAIL of sysexits.h). */
const NOT_CHECKED = 75;
/** By this status a part says that running it again would change nothing: it has repeated what failed itself, or too much failed. */
export const FAILED_TWICE = 76;

const COUNTS = /^(\d+) passed, (\d+) failed\b/;
const FAILURE = /^(FAILED|FAIL|not ok)\b/;
const MAX_FAILURE_LINES = 40;

/**
 * What a run of a part means: by its status, and by the last of its lines `N passed, N failed` when it has one, of which N passed must be
 * one at least. A part without such a line is one check.
 * @param {{ status: number | null, timedOut: boolean }} run
 * @param {string} output
 * @returns {{ result: 'passed' | 'failed' | 'not checked', passed: number, failed: number, confirmed: boolean, details: string[] }}
 * details: the first is in one line why
 */
export function verdictOf({ status, timedOut }, output) {
  const lines = stripVTControlCharacters(output).split('\n').map((line) => line.trimEnd());
  const last = lines.findLast((line) => line !== '') ?? 'it did not say why';
  const counts = lines.findLast((line) => COUNTS.test(line));
  const [passed, counted] = COUNTS.exec(counts ?? '')?.slice(1).map(Number) ?? [status === 0 ? 1 : 0, 0];
  if (status === NOT_CHECKED && counted === 0 && !timedOut) return { result: 'not checked', passed: 0, failed: 0, confirmed: false, details: [last] };
  if (status === 0 && counted === 0 && passed > 0 && !timedOut) return { result: 'passed', passed, failed: 0, confirmed: false, details: [] };
  const cause = timedOut ? 'ended at its limit' : status === 0 && counted === 0 ? 'it checked nothing' : `status ${status}`;
  return { result: 'failed', passed, failed: Math.max(counted, 1), confirmed: status === FAILED_TWICE, details: [cause, ...failureLines(lines)] };
}

/** What follows the first line that begins with FAILED, else the lines that name a failure, else the end. */
function failureLines(lines) {
  const written = lines.filter((line) => line !== '');
  const first = written.findIndex((line) => line.startsWith('FAILED'));
  if (first !== -1) return written.slice(first, first + MAX_FAILURE_LINES);
  const named = written.filter((line) => FAILURE.test(line));
  return named.length > 0 ? named.slice(0, MAX_FAILURE_LINES) : written.slice(-MAX_FAILURE_LINES);
}
