import type { Term } from '@parlance/languages';
import type { Snippet } from '../search-index.js';
import { allowedEdits, editDistance, SURE_LETTERS } from './fuzziness.js';
import type { ParsedQuery, TermSequence } from './parsed-query.js';
import { indexTerms } from './terms.js';

/** UTF-16 code units of a snippet, without the dots where it is cut. */
const SNIPPET_LENGTH = 240;
/** Characters before the first mark. */
const CONTEXT = 60;

interface Mark {
  from: number;
  before: number;
  /** Which part of the query it fits. */
  part: number;
}

interface MarkedPassage {
  snippet: Snippet;
  /** In the whole text, of the snippet's first mark. */
  firstMark: number | undefined;
}

/** Marks in a passage what fits the query, and cuts out where most of it is. */
export function markPassage(text: string, { words, phrases }: ParsedQuery, isFuzzy: boolean): MarkedPassage {
  const terms = indexTerms(text);
  const marks = [...words, ...phrases].flatMap((part, index) => occurrences(terms, part, isFuzzy && index < words.length).map((mark) => ({ ...mark, part: index })));
  marks.sort((a, b) => a.from - b.from || b.before - a.before);
  const { from, before } = text.length <= SNIPPET_LENGTH ? { from: 0, before: text.length } : bestWindow(text, terms, marks);
  const inside = merged(marks.filter((mark) => mark.from >= from && mark.before <= before));
  const [head, tail] = [from > 0 ? '…' : '', before < text.length ? '…' : ''];
  const shift = head.length - from;
  return {
    snippet: { text: head + text.slice(from, before) + tail, marks: inside.map((mark) => [mark.from + shift, mark.before + shift] as const) },
    firstMark: inside[0]?.from,
  };
}

/** Returns exact occurrences, or fuzzy ones when there are none. */
function occurrences(terms: readonly Term[], part: TermSequence, isFuzzy: boolean): { from: number; before: number }[] {
  const exact = sequences(terms, part);
  const [wanted] = part.terms;
  const edits = isFuzzy && wanted !== undefined && !part.isPrefix ? allowedEdits(wanted) : 0;
  if (exact.length > 0 || edits === 0 || wanted === undefined) return exact;
  const sure = wanted.slice(0, SURE_LETTERS);
  return terms.filter(({ term }) => term.startsWith(sure) && editDistance(wanted, term, edits) <= edits);
}

function sequences(terms: readonly Term[], { terms: wanted, isPrefix }: TermSequence): { from: number; before: number }[] {
  const found: { from: number; before: number }[] = [];
  const last = wanted.length - 1;
  const fits = (term: string, index: number) => (isPrefix && index === last ? term.startsWith(wanted[index] as string) : term === wanted[index]);
  for (let at = 0; at + last < terms.length; at += 1) {
    if (!wanted.every((_, index) => fits((terms[at + index] as Term).term, index))) continue;
    const [first, final] = [terms[at] as Term, terms[at + last] as Term];
    // Only the first character of a pair that was found by its first one.
    found.push({ from: first.from, before: isPrefix ? Math.min(final.before, final.from + (wanted[last] as string).length) : final.before });
  }
  return found;
}

/** The window with the most parts of the query, the first such one; it begins and ends with a term. */
function bestWindow(text: string, terms: readonly Term[], marks: readonly Mark[]): { from: number; before: number } {
  let best = { from: 0, parts: -1 };
  for (const { from } of marks) {
    const parts = new Set(marks.filter((mark) => mark.from >= from && mark.before <= from + SNIPPET_LENGTH - CONTEXT).map(({ part }) => part)).size;
    if (parts > best.parts) best = { from, parts };
  }
  const wanted = Math.max(0, Math.min(best.from - CONTEXT, text.length - SNIPPET_LENGTH));
  const from = wanted === 0 ? 0 : (terms.find((term) => term.from >= wanted)?.from ?? 0);
  if (from + SNIPPET_LENGTH >= text.length) return { from, before: text.length };
  const before = terms.findLast((term) => term.before <= from + SNIPPET_LENGTH)?.before ?? 0;
  return { from, before: before > from ? before : from + wholeCharacters(text, from) };
}

/** No half of a pair of surrogates at the end, where there is no term to end with. */
const wholeCharacters = (text: string, from: number): number => {
  const code = text.charCodeAt(from + SNIPPET_LENGTH - 1);
  return code >= 0xd800 && code < 0xdc00 ? SNIPPET_LENGTH - 1 : SNIPPET_LENGTH;
};

/** Without overlaps: neighbours in a stretch without spaces share a character. */
function merged(marks: readonly Mark[]): { from: number; before: number }[] {
  const apart: { from: number; before: number }[] = [];
  for (const { from, before } of marks) {
    const last = apart.at(-1);
    if (last && from < last.before) last.before = Math.max(last.before, before);
    else apart.push({ from, before });
  }
  return apart;
}
