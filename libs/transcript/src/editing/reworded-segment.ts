import { splitWords } from '@parlance/languages';
import { diffArrays } from 'diff';
import { toSegment } from '../segments/segment-words.js';
import { roundToMs } from '../timecodes.js';
import type { Segment, Word } from '../transcript.js';
import { identifiedWords } from './word-ids.js';

/** Words that differ, between words that are equal. */
interface Change {
  removed: Word[];
  added: string[];
}

type Piece = { kept: Word } | Change;

/** Words that may differ before a text counts as another one, of which no word is kept. It bounds the time of the comparison, which grows with its square: about 10 ms. */
const MAX_DIFFERENCES = 200;

/** Seconds: in a shorter pause nothing is said. */
const SHORTEST_PAUSE = 0.05;

/** Seconds: no word takes less. */
const MILLISECOND = 0.001;

interface Span {
  start: number;
  end: number;
}

/**
 * The segment with another text. Words that are the same but for case and punctuation keep their id, time and confidence. Others are
 * marked as estimated: as many words as they replace have the id and the time of these, otherwise they share the time between their
 * neighbours by their length. A segment without words stays without.
 * @param newId gives the id of a word that replaces no other
 */
export function rewordedSegment(segment: Segment, text: string, newId: () => string): Segment {
  const written = text.trim().replace(/\s+/gu, ' ');
  if (segment.words.length === 0) return { ...segment, text: written };
  const pieces = piecesOf(identifiedWords(segment), splitWords(written, segment.language));
  const words = pieces.flatMap((piece, index) => ('kept' in piece ? piece.kept : estimated(piece, timesAt(pieces, index, segment), segment, newId)));
  const { confidence: _, ...rest } = segment;
  const { confidence } = toSegment(words, segment.segmentId);
  return { ...rest, text: written, ...(confidence !== undefined && { confidence }), words };
}

/** Old and new words side by side; a kept word has its new spelling. */
function piecesOf(old: readonly Word[], texts: readonly string[]): Piece[] {
  const changes = diffArrays(old.map(({ text }) => keyOf(text)), texts.map(keyOf), { maxEditLength: MAX_DIFFERENCES });
  if (!changes) return [{ removed: [...old], added: [...texts] }];
  const pieces: Piece[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      for (let nth = 0; nth < count; nth++) pieces.push({ kept: { ...(old[oldAt++] as Word), text: texts[newAt++] as string } });
      continue;
    }
    const last = pieces.at(-1);
    const change = last && !('kept' in last) ? last : { removed: [], added: [] };
    if (change !== last) pieces.push(change);
    if (added) change.added.push(...texts.slice(newAt, (newAt += count)));
    else change.removed.push(...old.slice(oldAt, (oldAt += count)));
  }
  return pieces;
}

/** A word as it is compared: in small letters, without punctuation unless it is nothing else. */
function keyOf(text: string): string {
  const plain = text.normalize('NFC').toLowerCase();
  return plain.replace(/[^\p{L}\p{M}\p{N}]/gu, '') || plain;
}

/** The times of new words: those of the words that they replace, or the pause in which they are inserted. */
function timesAt(pieces: readonly Piece[], index: number, segment: Segment): Span[] {
  const { removed, added } = pieces[index] as Change;
  const [first, last] = [removed[0], removed.at(-1)];
  if (removed.length === added.length) return removed;
  if (first && last) return sharedTimes({ start: first.start, end: last.end }, added);
  return insertedTimes(added, segment, keptIn(pieces[index - 1]), keptIn(pieces[index + 1]));
}

/** Kept words keep their times, so that words which are inserted without a pause are all said at the edge of one of them. */
function insertedTimes(added: readonly string[], segment: Segment, before: Word | undefined, after: Word | undefined): Span[] {
  const start = before?.end ?? segment.start;
  const end = Math.max(start, after?.start ?? segment.end);
  if (end - start >= SHORTEST_PAUSE) return sharedTimes({ start, end }, added);
  const edge = before ? { start: Math.max(middleOf(before), end - SHORTEST_PAUSE), end } : { start, end: Math.min(after ? middleOf(after) : end, start + SHORTEST_PAUSE) };
  return added.map(() => edge);
}

const keptIn = (piece: Piece | undefined): Word | undefined => (piece && 'kept' in piece ? piece.kept : undefined);
const middleOf = ({ start, end }: Word): number => (start + end) / 2;

/** @param times of the added words */
function estimated({ removed, added }: Change, times: readonly Span[], segment: Segment, newId: () => string): Word[] {
  return added.map((text, index) => {
    const start = roundToMs(times[index]?.start ?? segment.start);
    const end = Math.max(roundToMs(times[index]?.end ?? start), roundToMs(start + MILLISECOND));
    const speakerId = removed[index]?.speakerId ?? segment.speakerId;
    const wordId = (removed.length === added.length ? removed[index]?.wordId : undefined) ?? newId();
    return { start, end, text, wordId, estimated: true, ...(speakerId !== undefined && { speakerId }), ...(segment.channel !== undefined && { channel: segment.channel }) };
  });
}

function sharedTimes({ start, end }: Span, texts: readonly string[]): Span[] {
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  let before = 0;
  const at = (length: number) => roundToMs(start + ((end - start) * length) / total);
  return texts.map((text) => {
    const from = before;
    before += text.length;
    return { start: at(from), end: at(before) };
  });
}
