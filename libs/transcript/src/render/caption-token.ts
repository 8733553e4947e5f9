import { separator } from '../segments/join-words.js';
import { endsClause, endsSentence } from '../segments/sentence-end.js';
import { toMs } from '../timecodes.js';
import type { Segment, Word } from '../transcript.js';
import { graphemeCount, graphemesOf } from './graphemes.js';

/** What captions are laid out from: a word, or a piece of one that no line can hold. */
export interface CaptionToken {
  text: string;
  /** Graphemes. */
  width: number;
  /** Milliseconds. */
  start: number;
  end: number;
  /** What stands before it, unless it begins a line. */
  gap: '' | ' ';
  /** How good it is to end a line or cue after it. */
  ending: 'sentence' | 'clause' | 'word' | 'piece';
}

/** The words of neighbouring segments of one speaker as tokens of at most `maxWidth` graphemes. */
export function toTokens(segments: readonly Segment[], maxWidth: number): CaptionToken[] {
  const tokens: CaptionToken[] = [];
  for (const segment of segments) {
    segment.words.forEach((word, index) => {
      const next = segment.words[index + 1];
      tokens.push(...tokensOf(word, next, maxWidth, tokens.at(-1)));
    });
  }
  return tokens;
}

function tokensOf(word: Word, next: Word | undefined, maxWidth: number, previous: CaptionToken | undefined): CaptionToken[] {
  const pieces = word.text.split(/\s+/u).filter(Boolean).flatMap((text) => piecesOf(text, maxWidth));
  const ending = next === undefined || endsSentence(word.text, next.text) ? 'sentence' : endsClause(word.text) ? 'clause' : 'word';
  const [start, end] = [toMs(word.start), toMs(word.end)];
  const timeOf = (count: number) => Math.round(start + ((end - start) * count) / pieces.length);
  let before = previous?.text;
  return pieces.map(({ text, isContinuation }, index) => {
    const gap = before === undefined || isContinuation ? '' : separator(before, text);
    before = text;
    const isLast = index === pieces.length - 1;
    const nextIsContinuation = pieces[index + 1]?.isContinuation ?? false;
    return {
      text,
      width: graphemeCount(text),
      start: timeOf(index),
      end: timeOf(index + 1),
      gap,
      ending: isLast ? ending : nextIsContinuation ? 'piece' : 'word',
    };
  });
}

function piecesOf(text: string, maxWidth: number): { text: string; isContinuation: boolean }[] {
  if (graphemeCount(text) <= maxWidth) return [{ text, isContinuation: false }];
  const graphemes = graphemesOf(text);
  const count = Math.ceil(graphemes.length / maxWidth);
  const size = Math.ceil(graphemes.length / count);
  return Array.from({ length: count }, (_, index) => ({
    text: graphemes.slice(index * size, (index + 1) * size).join(''),
    isContinuation: index > 0,
  })).filter((piece) => piece.text !== '');
}
