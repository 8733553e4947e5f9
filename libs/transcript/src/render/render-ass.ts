import { assTimecode } from '../timecodes.js';
import { directed } from './directed-line.js';
import { toCues, type Cue } from './cues.js';
import { labelledLines } from './labelled-lines.js';
import { speakerNames, type RenderOptions, type RenderSource } from './render-options.js';

const STYLE_FIELDS =
  'Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding';

/** White with a black outline, centred at the bottom of a picture of 1920 × 1080. */
const HEAD = `[Script Info]
ScriptType: v4.00+
PlayResX: 1920
PlayResY: 1080
WrapStyle: 0
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: ${STYLE_FIELDS}
Style: Default,Arial,64,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,3,1,2,96,96,60,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
`;

/**
 * Advanced SubStation Alpha (version 4.00+, as libass reads it). The speaker's name stands before the first cue of a turn, and
 * in the Name field of each cue. Without words, the header alone.
 */
export async function* renderAss(source: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const names = speakerNames(source);
  const nameOf = (speakerId: string) => (options.speakers ? names(speakerId) : undefined);
  yield HEAD;
  for await (const cue of toCues(source.segments(), source.info.duration, options, { nameOf, everyCue: false }, source.info.language)) {
    const name = cue.speakerId === undefined ? '' : (nameOf(cue.speakerId) ?? '');
    yield `Dialogue: 0,${timesOf(cue)},Default,${field(name)},0,0,0,,${textOf(cue, source.info.language)}\n`;
  }
}

/** Hundredths are rounded; no cue is shorter than one of them. */
const timesOf = ({ start, end }: Cue): string => `${assTimecode(start)},${assTimecode(Math.max(end, start + 10))}`;

const textOf = (cue: Cue, language: string): string =>
  labelledLines(cue)
    .map((line) => directed(plain(line), language))
    .join(String.raw`\N`);

/** Braces enclose overrides, and a backslash begins a line break; neither can be escaped. A word joiner, which is not seen, parts a backslash from its letter. */
const plain = (line: string): string => line.replaceAll('{', '(').replaceAll('}', ')').replaceAll('\\', '\\\u2060');

/** A field before the text ends at a comma. */
const field = (text: string): string => text.replaceAll(/[\s,]+/gu, ' ').trim();
