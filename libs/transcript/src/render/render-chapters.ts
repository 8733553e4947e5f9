import { toMs, vttTimecode } from '../timecodes.js';
import { directed } from './directed-line.js';
import { escapedForVtt } from './vtt-escapes.js';

interface TitledRange {
  start: number;
  end: number;
  headline: string;
}

/** A WebVTT file of the kind `chapters` (https://www.w3.org/TR/webvtt1/#introduction-chapters): a cue a chapter, of one line. */
export function renderChapters(chapters: readonly TitledRange[], language: string): string {
  const cues = chapters.map(({ start, end, headline }, index) => {
    const line = directed(escapedForVtt(headline.replaceAll(/\s+/gu, ' ').trim()), language);
    return `\n${index + 1}\n${vttTimecode(toMs(start))} --> ${vttTimecode(toMs(end))}\n${line}\n`;
  });
  return `WEBVTT\n${cues.join('')}`;
}
