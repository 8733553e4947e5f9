import { toMs } from '../timecodes.js';
import type { Segment } from '../transcript.js';
import { inColumns, type CaptionOptions } from './caption-options.js';
import { toTokens } from './caption-token.js';
import { partitionIntoCues, requiredDuration, type CueRange } from './cue-partition.js';
import { columnCount, graphemesOf } from './graphemes.js';
import { breakLines } from './line-breaks.js';

/** A caption: what is on the screen from `start` to `end`, in milliseconds. */
export interface Cue {
  start: number;
  end: number;
  /** Verbatim text; none is empty. */
  lines: string[];
  /** Name of who speaks, when the cue is to show it. */
  speaker?: string;
  /** Absent when the speaker is not known. */
  speakerId?: string;
  /** True when the label did not fit beside the first word and has its own line. */
  labelAlone: boolean;
}

export interface CueLabels {
  /** The name of a speaker; undefined: no label. */
  nameOf: (speakerId: string) => string | undefined;
  /** True when every cue names its speaker, false when only the first cue of a turn does. */
  everyCue: boolean;
}

/** The text that a label adds after the name. */
export const LABEL_SUFFIX = ': ';

/** A cue may come this long before its first word when it would be too short to be read otherwise; milliseconds. */
const MAX_LEAD_IN = 500;

/** Blocks longer than this are cut at a segment's end, which bounds memory. */
const MAX_BLOCK_WORDS = 400;

/** One speaker's segments on one channel, without a pause to speak of. */
interface Block {
  segments: Segment[];
  speakerId: string | undefined;
  channel: number | undefined;
  /** Milliseconds: when the next block begins, or the end of the media; the end of this block where the next one begins before it. */
  limit: number;
  /** True when another speaker spoke before. */
  beginsTurn: boolean;
  /** True when somebody speaks at the same time on another channel. */
  isOverlapped: boolean;
}

/**
 * Segments into cues that show every word once, in order of their start. They never overlap, but where people speak at once on
 * channels of their own: there each cue has the times of its words and the name of its speaker. Holds one block of segments at a
 * time, and the cues of those that overlap.
 */
export async function* toCues(
  segments: AsyncIterable<Segment>,
  duration: number,
  options: CaptionOptions,
  labels: CueLabels,
  language = 'und',
): AsyncGenerator<Cue> {
  /** Milliseconds: when the last cue of each channel ends. */
  const ends = new Map<number | undefined, number>();
  const layout = { options: inColumns(options, language), labels, language };
  let held: Cue[] = [];
  for await (const block of blocksOf(segments, duration, options)) {
    const isLater = ({ start }: Cue) => start > toMs(block.segments[0]?.start ?? 0) - MAX_LEAD_IN;
    yield* held.filter((cue) => !isLater(cue));
    held = held.filter(isLater);
    const { channel, isOverlapped } = block;
    for (const cue of cuesOf(block, layout, isOverlapped ? (ends.get(channel) ?? 0) : Math.max(0, ...ends.values()))) {
      held.push(cue);
      ends.set(channel, cue.end);
    }
    held.sort((one, other) => one.start - other.start);
  }
  yield* held;
}

async function* blocksOf(segments: AsyncIterable<Segment>, duration: number, { minDuration }: CaptionOptions): AsyncGenerator<Block> {
  let held: Segment[] = [];
  let wordCount = 0;
  let lastSpeaker: string | undefined;
  let spokenUntil = 0;
  const blockUntil = (limit: number, { speakerId, end, channel }: Segment): Block => {
    const isOverlapped = channel !== undefined && (toMs(held[0]?.start ?? 0) < spokenUntil || limit < toMs(end));
    const ownLimit = isOverlapped ? Math.max(limit, toMs(end)) : limit;
    const block = { segments: held, speakerId, channel, limit: ownLimit, beginsTurn: speakerId !== lastSpeaker, isOverlapped };
    spokenUntil = Math.max(spokenUntil, toMs(end));
    lastSpeaker = speakerId;
    return block;
  };
  for await (const segment of segments) {
    const last = held.at(-1);
    const ends = last && (last.speakerId !== segment.speakerId || last.channel !== segment.channel || segment.start - last.end >= minDuration || wordCount > MAX_BLOCK_WORDS);
    if (ends) {
      yield blockUntil(toMs(segment.start), last);
      held = [];
      wordCount = 0;
    }
    held.push(segment);
    wordCount += segment.words.length;
  }
  const last = held.at(-1);
  if (last) yield blockUntil(Math.max(toMs(duration), toMs(last.end)), last);
}

interface CueLayout {
  /** In columns. */
  options: CaptionOptions;
  labels: CueLabels;
  language: string;
}

function* cuesOf({ segments, speakerId, limit, beginsTurn, isOverlapped }: Block, { options, labels, language }: CueLayout, endBefore: number): Generator<Cue> {
  const speaker = shortened(speakerId === undefined ? undefined : labels.nameOf(speakerId), options);
  const labelWidth = speaker === undefined ? 0 : columnCount(speaker + LABEL_SUFFIX);
  const isLabelled = (token: number) => labels.everyCue || isOverlapped || (token === 0 && beginsTurn);
  const indentAt = (token: number) => (isLabelled(token) ? labelWidth : 0);

  // On a single line a label has no line of its own.
  const widthAt = (token: number) => options.maxLineChars - (options.maxLines === 1 ? indentAt(token) : 0);
  const tokens = toTokens(segments, widthAt, language);
  let previousEnd = endBefore;
  for (const range of partitionIntoCues({ tokens, limit, options, indentAt })) {
    const { start, end } = timesOf(range, limit, previousEnd, options);
    const lines = breakLines(tokens.slice(range.from, range.to), options.maxLineChars, indentAt(range.from));
    yield {
      start,
      end,
      lines: lines.filter((line) => line !== ''),
      ...(speaker !== undefined && isLabelled(range.from) && { speaker }),
      ...(speakerId !== undefined && { speakerId }),
      labelAlone: lines[0] === '',
    };
    previousEnd = end;
  }
}

/** From the first word on, until it is read or something else begins; when that is too short, a little earlier. */
function timesOf({ first, last, next, width }: CueRange, limit: number, previousEnd: number, options: CaptionOptions) {
  const required = requiredDuration(width, options);
  const longest = Math.floor(options.maxDuration * 1000);
  const spoken = Math.max(first.start, previousEnd);
  const latest = Math.min(next?.start ?? limit, spoken + longest);
  const end = Math.max(Math.min(Math.max(last.end, spoken + required), latest), spoken);
  const start = Math.min(spoken, Math.max(end - required, previousEnd, spoken - MAX_LEAD_IN));
  // Two blocks can begin at the same millisecond; a cue must not be empty all the same.
  return { start, end: Math.max(end, start + 1) };
}

/** A name takes at most half a line; on lines too short for a part of one, there is none. */
function shortened(name: string | undefined, { maxLineChars }: CaptionOptions): string | undefined {
  const text = name?.replace(/\s+/gu, ' ').trim();
  if (!text) return undefined;
  const room = Math.floor(maxLineChars / 2) - LABEL_SUFFIX.length;
  if (columnCount(text) <= room) return text;
  if (room < 3) return undefined;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    if (columnCount(kept + grapheme) > room - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}
