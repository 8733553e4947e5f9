import type { DeepgramRequest } from './deepgram-request.js';
import { confidenceOf, transcriptOf, type DeepgramWord } from './deepgram-words.js';

interface DeepgramUtterance {
  start: number;
  end: number;
  confidence: number;
  channel: number;
  transcript: string;
  words: DeepgramWord[];
  speaker?: number;
  id: string;
}

/** The utterances of all channels by their time: words without a longer pause between them, of one speaker. @param id what their ids begin with */
export function deepgramUtterances(channels: readonly DeepgramWord[][], { utteranceSplit }: Pick<DeepgramRequest, 'utteranceSplit'>, id: string): DeepgramUtterance[] {
  const utterances = channels.flatMap((words, channel) => runsOf(words, utteranceSplit).map((run) => ({ channel, run })));
  return utterances.toSorted((one, other) => startOf(one.run) - startOf(other.run)).map(({ channel, run }, index) => utteranceOf(run, channel, `${id}-${index}`));
}

function runsOf(words: readonly DeepgramWord[], split: number): DeepgramWord[][] {
  const runs: DeepgramWord[][] = [];
  let last: DeepgramWord | undefined;
  for (const word of words) {
    if (last === undefined || word.start - last.end >= split || word.speaker !== last.speaker) runs.push([]);
    runs.at(-1)?.push(word);
    last = word;
  }
  return runs;
}

const startOf = (words: readonly DeepgramWord[]): number => words[0]?.start ?? 0;

function utteranceOf(words: DeepgramWord[], channel: number, id: string): DeepgramUtterance {
  const speaker = words[0]?.speaker;
  return { start: startOf(words), end: words.at(-1)?.end ?? 0, confidence: confidenceOf(words), channel, transcript: transcriptOf(words), words, ...(speaker !== undefined && { speaker }), id };
}
