import { placeOf, type NumberRun } from './number-runs.js';
import type { RedactedPlace, RedactionPolicy } from './policy.js';

/** The parts of a run that begin and end at its edges and pass the check, the longest first, without overlaps. */
export function checkedParts(run: NumberRun, policy: RedactionPolicy, { shortest, longest }: { shortest: number; longest: number }, isValid: (number: string) => boolean): RedactedPlace[] {
  const found: RedactedPlace[] = [];
  let next = 0;
  for (const first of run.edges) {
    if (first < next) continue;
    const ends = run.edges.filter((end) => end - first >= shortest && end - first <= longest).toReversed();
    const end = ends.find((each) => isValid(run.compact.slice(first, each)));
    if (end === undefined) continue;
    found.push({ policy, ...placeOf(run, first, end), value: run.compact.slice(first, end) });
    next = end;
  }
  return found;
}
