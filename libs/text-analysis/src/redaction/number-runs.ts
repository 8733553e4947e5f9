/** Letters and digits in groups, and the text without what stands between the groups. */
export interface NumberRun {
  /** Without separators, in capitals. */
  compact: string;
  /** The place of each character of `compact` in the text. */
  places: readonly number[];
  /** Indexes of `compact` at which a number may begin or end, its ends among them. */
  edges: readonly number[];
  /** The edges behind a pause of the speaker or the end of a sentence, and the beginning. */
  starts: readonly number[];
}

/** Separators between the groups of a number that is written or spoken; a comma is a pause of the speaker. */
const SEPARATORS = /^(?:[ \u00a0]| ?[-./] ?| ?, )?$/u;
/** A pause of the speaker, or the end of a sentence. */
const PAUSE = /^ ?[,.] $/u;
/** Digits that are spoken one by one have no edge between them. */
const MIN_GROUP = 2;
/** Fillers between the digits, and signs that are spoken. */
const HESITATION = /^(?:uh|um|uhm|er|erm|hm|hmm|mm|ah|dash|hyphen|space)$/iu;
const HESITATIONS = /[ ,]{1,2}(?:uh|um|uhm|er|erm|hm|hmm|mm|ah|dash|hyphen|space)(?=[ ,])/giu;
const GROUP = /[\p{L}\p{N}]+/gu;

/** The runs of groups of which each is a part of a number: digits, or letters and digits, as `isPart` says. */
export function numberRuns(text: string, isPart: (group: string) => boolean): NumberRun[] {
  const runs: { compact: string; places: number[]; edges: number[]; starts: number[] }[] = [];
  let last: { end: number; length: number } | undefined;
  for (const { 0: group, index } of text.matchAll(GROUP)) {
    if (HESITATION.test(group)) continue;
    if (!isPart(group)) {
      last = undefined;
      continue;
    }
    const between = last ? text.slice(last.end, index).replaceAll(HESITATIONS, '') : undefined;
    const open = between !== undefined && SEPARATORS.test(between) ? runs.at(-1) : undefined;
    const isPause = open !== undefined && PAUSE.test(between ?? '');
    const run = open ?? { compact: '', places: [], edges: [0], starts: [0] };
    if (!open) runs.push(run);
    else if (isPause || group.length >= MIN_GROUP || (last?.length ?? 0) >= MIN_GROUP) run.edges.push(run.compact.length);
    if (isPause) run.starts.push(run.compact.length);
    for (let at = 0; at < group.length; at += 1) run.places.push(index + at);
    run.compact += group.toUpperCase();
    last = { end: index + group.length, length: group.length };
  }
  return runs.map((run) => ({ ...run, edges: [...run.edges, run.compact.length] }));
}

export const isDigits = (group: string): boolean => /^[0-9]+$/u.test(group);

/** The place in the text of a part of the run. */
export const placeOf = ({ places }: NumberRun, first: number, end: number): { from: number; to: number } => ({ from: places[first] ?? 0, to: (places[end - 1] ?? 0) + 1 });
