import { inParagraph, languageName } from '@parlance/languages';
import { clockTime } from '@parlance/transcript/timecodes';
import { paragraphDirection } from '../layout/bidi-text.js';
import type { DocumentHead, DocumentSection, DocumentTurn } from './document-content.js';

/**
 * Matches characters that XML 1.0 (section 2.2) and document readers do not accept, and marks that would change the direction
 * of the text around them.
 */
// oxlint-disable-next-line no-control-regex -- they are what is taken out
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]|\p{Surrogate}/gu;

/** A text on one line, of characters that may stand in a document, in their composed form. */
const printable = (text: string): string => text.replace(/\s+/gu, ' ').replace(UNPRINTABLE, '').normalize('NFC').trim();

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** At most so many characters as a reader counts them, the last an ellipsis when there were more. */
export function shortened(text: string, maximum: number): string {
  // A grapheme is rarely longer than this; what is far too long need not be segmented whole.
  const parts = Array.from(graphemes.segment(text.slice(0, maximum * 16)), ({ segment }) => segment);
  return parts.length <= maximum ? parts.join('') : `${parts.slice(0, maximum - 1).join('').trimEnd()}…`;
}

/** A part of the document that each format lays out in its own way. */
export type Block =
  | { kind: 'title' | 'facts' | 'heading' | 'text'; text: string }
  | { kind: 'item'; text: string; time?: string }
  | { kind: 'turn'; text: string; speaker?: string; time?: string };

const MAX_TITLE = 200;
const MAX_NAME = 80;
const NAMED_SPEAKERS = 12;

export const titleOf = ({ title }: DocumentHead): string => shortened(printable(title), MAX_TITLE) || 'Transcript';

/** A document from its beginning to its end. */
export async function* blocksOf(head: DocumentHead, turns: AsyncIterable<DocumentTurn>): AsyncGenerator<Block> {
  yield { kind: 'title', text: titleOf(head) };
  yield { kind: 'facts', text: factsOf(head) };
  for (const section of head.sections) yield* blocksOfSection(section);
  if (head.sections.length > 0) yield { kind: 'heading', text: 'Transcript' };
  let isEmpty = true;
  for await (const { text, speaker, start } of turns) {
    const shown = printable(text);
    if (shown === '') continue;
    isEmpty = false;
    const name = speaker === undefined ? '' : shortened(printable(speaker), MAX_NAME);
    yield { kind: 'turn', text: shown, ...(name !== '' && { speaker: name }), ...timeOf(start) };
  }
  if (isEmpty) yield { kind: 'text', text: 'No speech was recognised in this recording.' };
}

function* blocksOfSection({ heading, paragraphs, items }: DocumentSection): Generator<Block> {
  yield { kind: 'heading', text: printable(heading) };
  for (const text of paragraphs.map(printable)) if (text !== '') yield { kind: 'text', text };
  for (const { text, start } of items) yield { kind: 'item', text: printable(text), ...timeOf(start) };
}

/** `21 November 2026 · 01:02:03 · English · Anna, Ben` */
function factsOf({ createdAt, duration, language, speakers }: DocumentHead): string {
  const names = speakers.map((name) => shortened(printable(name), MAX_NAME)).filter(Boolean);
  const known = language === 'und' ? '' : languageName(language);
  const before = [dateOf(createdAt), clockTime(duration), known].filter(Boolean);
  const direction = paragraphDirection([...before, ...names].join(' '), language);
  // So that two Hebrew names keep their order in an English line, and an English date stays whole in an Arabic one.
  const placed = (text: string) => inParagraph(text, direction);
  const listed = names.slice(0, NAMED_SPEAKERS).map(placed).join(', ') + (names.length > NAMED_SPEAKERS ? ', …' : '');
  return [...before.map(placed), listed].filter(Boolean).join(' · ');
}

function dateOf(createdAt: string | undefined): string {
  const date = createdAt === undefined ? undefined : new Date(createdAt);
  return date && !Number.isNaN(date.getTime()) ? dates.format(date) : '';
}

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

const timeOf = (start: number | undefined): { time?: string } => (start === undefined ? {} : { time: clockTime(start) });
