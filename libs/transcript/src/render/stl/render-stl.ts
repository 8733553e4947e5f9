import type { Segment, Speaker } from '../../transcript.js';
import { toCues, type Cue } from '../cues.js';
import { labelledLines } from '../labelled-lines.js';
import { speakerNames, type RenderedBytes, type RenderOptions, type RenderSource } from '../render-options.js';
import { toIso6937Repertoire } from './iso-6937.js';
import { stlHeader } from './stl-header.js';
import { FRAMES_PER_SECOND, frameTimecode, subtitleBlocks, type StlSubtitle } from './stl-subtitle.js';

/**
 * EBU STL (EBU Tech 3264-E): open subtitles at 25 frames a second in the Latin code table. Characters that it does not have are
 * replaced and counted. The speaker's name stands before the first cue of a turn. Reads the segments twice, as the header has counts.
 */
export async function renderStl(source: RenderSource, options: RenderOptions): Promise<RenderedBytes> {
  const { text, ...counts } = await contentsOf(source, options);
  return { replacedCharacters: counts.replaced, pieces: blocks() };

  async function* blocks(): AsyncGenerator<Uint8Array> {
    yield stlHeader({ ...counts, language: source.info.language, lineChars: options.maxLineChars });
    for await (const subtitle of subtitlesOf(text, options)) for (const block of subtitleBlocks(subtitle)) yield block;
  }
}

async function contentsOf(source: RenderSource, options: RenderOptions) {
  let replaced = 0;
  const counting = carried(source, (count) => (replaced += count));
  let [blocks, subtitles, firstTimecode] = [0, 0, '00000000'];
  for await (const subtitle of subtitlesOf(counting, options)) {
    if (subtitles === 0) firstTimecode = frameTimecode(subtitle.start);
    subtitles++;
    blocks += subtitleBlocks(subtitle).length;
  }
  return { text: carried(source, () => undefined), blocks, subtitles, firstTimecode, replaced };
}

async function* subtitlesOf(source: RenderSource, options: RenderOptions): AsyncGenerator<StlSubtitle> {
  const names = speakerNames(source);
  const nameOf = (speakerId: string) => (options.speakers ? names(speakerId) : undefined);
  let number = 0;
  for await (const cue of toCues(source.segments(), source.info.duration, options, { nameOf, everyCue: false }, source.info.language)) {
    yield { number: number++, ...framesOf(cue), lines: labelledLines(cue).map(withoutEllipsis) };
  }
}

/** The only character that layout adds: where it cut a name. The table does not have it, and three dots would not fit. */
const withoutEllipsis = (line: string): string => line.replaceAll('…', '.');

/** Rounded to frames; none is shorter than one. */
function framesOf({ start, end }: Cue): { start: number; end: number } {
  const [first, last] = [start, end].map((ms) => Math.round((ms * FRAMES_PER_SECOND) / 1000)) as [number, number];
  return { start: first, end: Math.max(last, first + 1) };
}

/** The transcript in characters that the table has, so that lines are laid out as they are written. */
function carried({ info, segments }: RenderSource, count: (replaced: number) => void): RenderSource {
  const carry = (original: string): string => {
    const { text, replaced } = toIso6937Repertoire(original);
    count(replaced);
    return text.trim() === '' ? '?' : text;
  };
  const inSpeaker = (speaker: Speaker): Speaker => ({ ...speaker, name: carry(speaker.name) });
  const inSegment = (segment: Segment): Segment => ({ ...segment, words: segment.words.map((word) => ({ ...word, text: carry(word.text) })) });
  return {
    info: { ...info, speakers: info.speakers.map(inSpeaker) },
    segments: async function* () {
      for await (const segment of segments()) yield inSegment(segment);
    },
  };
}
