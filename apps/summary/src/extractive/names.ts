import { possibleOwner, type FirstNames } from '@parlance/text-analysis';
import type { TranscriptText } from '../engine/summary-engine.js';
import { isEnglish } from './analysis.js';

/** @returns a test for names: those of speakers, or first names in English. Only words that may be owners are looked up, as the look-up takes a thread. */
export async function namesIn({ language, speakers, lines }: TranscriptText, known: FirstNames, signal: AbortSignal): Promise<(word: string) => boolean> {
  const speaking = new Set(speakers.flatMap(({ name }) => name.toLowerCase().split(/\s+/u)).filter((word) => word !== 'speaker' && !/^\d+$/.test(word)));
  const asked = !isEnglish(language) ? [] : lines.flatMap(({ text }) => possibleOwner(text) ?? []).filter((word) => !speaking.has(word));
  const firstNames = await known.among(new Set(asked), signal);
  return (word) => speaking.has(word) || firstNames.has(word);
}
