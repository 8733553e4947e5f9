import { vttTimecode } from '../timecodes.js';
import { directed } from './directed-line.js';
import { escapedForVtt } from './vtt-escapes.js';
import { toCues, type Cue } from './cues.js';
import { speakerNames, type RenderOptions, type RenderSource } from './render-options.js';

/** WebVTT (https://www.w3.org/TR/webvtt1/); the speaker is the voice of each cue. Without words, the header alone. */
export async function* renderVtt(source: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const names = speakerNames(source);
  const nameOf = (speakerId: string) => (options.speakers ? names(speakerId) : undefined);
  yield 'WEBVTT\n';
  for await (const cue of toCues(source.segments(), source.info.duration, options, { nameOf, everyCue: true }, source.info.language)) {
    yield `\n${vttTimecode(cue.start)} --> ${vttTimecode(cue.end)}\n${textOf(cue, source.info.language)}\n`;
  }
}

function textOf({ lines, speaker }: Cue, language: string): string {
  const voice = speaker === undefined ? '' : `<v ${escapedForVtt(speaker)}>`;
  return voice + lines.map((line) => directed(escapedForVtt(line), language)).join('\n');
}
