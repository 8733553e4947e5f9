import { separator } from '../segments/join-words.js';
import { endsClause, endsSentence } from '../segments/sentence-end.js';
import { toMs } from '../timecodes.js';
import type { Segment } from '../transcript.js';
import { captionWords, type CaptionWord } from './caption-words.js';
import { columnCount, cutAtColumns } from './graphemes.js';

/** The unit of caption layout: a word, or a piece of a word that fits on no line. */
export interface CaptionToken {
  text: string;
  /** Columns. */
  width: number;
  /** Milliseconds. */
  start: number;
  end: number;
  /** The text before it, unless it begins a line. */
  gap: '' | ' ';
  /** The quality of ending a line or cue after it. */
  ending: 'sentence' | 'clause' | 'word' | 'piece';
}

/**
 * The words of neighbouring segments of one speaker as tokens.
 * @param widthAt columns that a word may have which begins as this token
 */
export function toTokens(segments: readonly Segment[], widthAt: (token: number) => number, language: string): CaptionToken[] {
  const tokens: CaptionToken[] = [];
  for (const segment of segments) {
    const words = captionWords(segment.words, language);
    words.forEach((word, index) => {
      const next = words[index + 1];
      tokens.push(...tokensOf(word, next, widthAt(tokens.length), tokens.at(-1)));
    });
  }
  return tokens;
}

function tokensOf(word: CaptionWord, next: CaptionWord | undefined, maxWidth: number, previous: CaptionToken | undefined): CaptionToken[] {
  const pieces = word.text.split(/\s+/u).filter(Boolean).flatMap((text) => piecesOf(text, maxWidth));
  const ending = next === undefined || endsSentence(word.text, next.text) ? 'sentence' : endsClause(word.text) ? 'clause' : 'word';
  const [start, end] = [toMs(word.start), toMs(word.end)];
  const timeOf = (count: number) => Math.round(start + ((end - start) * count) / pieces.length);
  let before = previous?.text;
  return pieces.map(({ text, isContinuation }, index) => {
    const isAttached = isContinuation || (index === 0 && word.isAttached);
    const gap = before === undefined || isAttached ? '' : separator(before, text);
    before = text;
    const isLast = index === pieces.length - 1;
    const nextIsContinuation = pieces[index + 1]?.isContinuation ?? false;
    return {
      text,
      width: columnCount(text),
      start: timeOf(index),
      end: timeOf(index + 1),
      gap,
      ending: isLast ? ending : nextIsContinuation ? 'piece' : 'word',
    };
  });
}

function piecesOf(text: string, maxWidth: number): { text: string; isContinuation: boolean }[] {
  if (columnCount(text) <= maxWidth) return [{ text, isContinuation: false }];
  return cutAtColumns(text, maxWidth).map((piece, index) => ({ text: piece, isContinuation: index > 0 }));
}
