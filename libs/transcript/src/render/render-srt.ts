import { srtTimecode } from '../timecodes.js';
import { directed } from './directed-line.js';
import { toCues } from './cues.js';
import { labelledLines } from './labelled-lines.js';
import { speakerNames, type RenderOptions, type RenderSource } from './render-options.js';

/** SubRip: numbered cues; a speaker's name stands before the first cue of a turn. Without words, an empty file. */
export async function* renderSrt(source: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const names = speakerNames(source);
  const nameOf = (speakerId: string) => (options.speakers ? names(speakerId) : undefined);
  let number = 0;
  for await (const cue of toCues(source.segments(), source.info.duration, options, { nameOf, everyCue: false }, source.info.language)) {
    number++;
    yield `${number}\n${srtTimecode(cue.start)} --> ${srtTimecode(cue.end)}\n${labelledLines(cue).map((line) => directed(plain(line), source.info.language)).join('\n')}\n\n`;
  }
}

/**
 * SubRip cannot escape. An arrow would be read as the next cue's times, `{\\an8}` as a player's override, and a tag as markup,
 * by some players as HTML.
 */
const plain = (line: string): string =>
  line
    .replaceAll('-->', '→')
    .replaceAll(/<(?=[a-z/!?])/gi, '‹')
    .replaceAll('{', '(')
    .replaceAll('}', ')');
