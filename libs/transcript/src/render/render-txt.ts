import { separator } from '../segments/join-words.js';
import { clockTime } from '../timecodes.js';
import type { Segment } from '../transcript.js';
import { speakerNames, type RenderOptions, type RenderSource } from './render-options.js';

/** Seconds of silence that begin a new paragraph. */
const PARAGRAPH_PAUSE = 2;

/** UTF-16 units after which the next segment begins a new paragraph. */
const PARAGRAPH_LENGTH = 600;

/** Paragraphs with a blank line between them: `[00:01:02] Name: text`. */
export async function* renderTxt(source: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const nameOf = speakerNames(source);
  let last: Segment | undefined;
  let length = 0;
  for await (const segment of source.segments()) {
    if (last === undefined || beginsParagraph(last, segment, length, options)) {
      const opening = openingOf(segment, nameOf, options);
      yield (last === undefined ? '' : '\n\n') + opening + segment.text;
      length = segment.text.length;
    } else {
      const piece = separator(last.text, segment.text) + segment.text;
      yield piece;
      length += piece.length;
    }
    last = segment;
  }
  if (last !== undefined) yield '\n';
}

const beginsParagraph = (last: Segment, next: Segment, length: number, { speakers }: RenderOptions): boolean =>
  (speakers && next.speakerId !== last.speakerId) || next.start - last.end >= PARAGRAPH_PAUSE || length >= PARAGRAPH_LENGTH;

function openingOf({ start, speakerId }: Segment, nameOf: (speakerId: string) => string, { speakers, timestamps }: RenderOptions): string {
  const time = timestamps ? `[${clockTime(start)}] ` : '';
  return speakers && speakerId !== undefined ? `${time}${nameOf(speakerId)}: ` : time;
}
