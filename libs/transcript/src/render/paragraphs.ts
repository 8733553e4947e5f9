import { separator } from '../segments/join-words.js';
import type { Segment } from '../transcript.js';
import type { RenderOptions } from './render-options.js';

/** Seconds of silence that begin a new paragraph. */
const PARAGRAPH_PAUSE = 2;

/** UTF-16 units after which the next segment begins a new paragraph. */
const PARAGRAPH_LENGTH = 600;

/** Segments that are read in one go. */
export interface Paragraph {
  /** Seconds. */
  start: number;
  speakerId?: string | undefined;
  text: string;
  /** True for the first words, and when another speaker spoke before. */
  beginsTurn: boolean;
}

/** A new paragraph at another speaker (when the document names them), after a pause, and where one grows long. */
export async function* paragraphsOf(segments: AsyncIterable<Segment>, { speakers }: Pick<RenderOptions, 'speakers'>): AsyncGenerator<Paragraph> {
  let held: Paragraph | undefined;
  let last: Segment | undefined;
  for await (const segment of segments) {
    const isOther = last === undefined || (speakers && segment.speakerId !== last.speakerId);
    if (held && last && !isOther && !isBreak(held, last, segment)) held.text += separator(last.text, segment.text) + segment.text;
    else {
      if (held) yield held;
      held = { start: segment.start, speakerId: segment.speakerId, text: segment.text, beginsTurn: isOther };
    }
    last = segment;
  }
  if (held) yield held;
}

const isBreak = (held: Paragraph, last: Segment, next: Segment): boolean =>
  next.start - last.end >= PARAGRAPH_PAUSE || held.text.length >= PARAGRAPH_LENGTH;
