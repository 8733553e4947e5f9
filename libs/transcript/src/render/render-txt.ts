import { textDirection } from '@parlance/languages';
import { clockTime } from '../timecodes.js';
import { paragraphsOf, type Paragraph } from '../reading/paragraphs.js';
import { sentencesOf } from '../reading/sentences.js';
import { speakerNames, type RenderOptions, type RenderSource } from './render-options.js';

const RIGHT_TO_LEFT_MARK = '\u200f';

/** Paragraphs with a blank line between them: `[00:01:02] Name: text`. */
export async function* renderTxt(source: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const nameOf = speakerNames(source);
  let isFirst = true;
  for await (const paragraph of paragraphsOf(sentencesOf(source.segments()), options)) {
    yield (isFirst ? '' : '\n\n') + openingOf(paragraph, nameOf, options) + paragraph.text;
    isFirst = false;
  }
  if (!isFirst) yield '\n';
}

/** A time or a Latin name before an Arabic text would make a left-to-right line of it. */
function openingOf({ start, speakerId, text }: Paragraph, nameOf: (speakerId: string) => string, { speakers, timestamps }: RenderOptions): string {
  const time = timestamps ? `[${clockTime(start)}] ` : '';
  const opening = speakers && speakerId !== undefined ? `${time}${nameOf(speakerId)}: ` : time;
  return opening !== '' && textDirection(text) === 'rtl' ? RIGHT_TO_LEFT_MARK + opening : opening;
}
