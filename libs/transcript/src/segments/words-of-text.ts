import { roundToMs } from '../timecodes.js';
import type { Segment, Word } from '../transcript.js';

/** The words of a text whose segment alone has times: each has its share of them, by its letters. */
export function wordsOfText({ text, start, end, speakerId, channel }: Omit<Segment, 'words'>): Word[] {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  const at = (offset: number) => roundToMs(start + ((end - start) * offset) / letters);
  let offset = 0;
  return words.map((word) => {
    const from = offset;
    offset += word.length;
    return { text: word, start: at(from), end: at(offset), ...(speakerId !== undefined && { speakerId }), ...(channel !== undefined && { channel }) };
  });
}
