import { Lookahead } from '../lookahead.js';
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

/**
 * The utterances of all channels by their time: words without a longer pause between them, of one speaker. Holds one of each channel.
 * @param id what their ids begin with
 */
export async function* deepgramUtterances(channels: readonly AsyncGenerator<DeepgramWord>[], { utteranceSplit }: Pick<DeepgramRequest, 'utteranceSplit'>, id: string): AsyncGenerator<DeepgramUtterance> {
  const runs = channels.map((words) => new Lookahead(runsOf(words, utteranceSplit)));
  try {
    for (let index = 0; ; index += 1) {
      const first = await earliest(runs);
      const run = await runs[first]?.take();
      if (!run) return;
      yield utteranceOf(run, first, `${id}-${index}`);
    }
  } finally {
    await Promise.all(runs.map((each) => each.close()));
  }
}

/** The channel whose next run begins first; of two the first one. @returns -1 when none has any more */
async function earliest(runs: readonly Lookahead<DeepgramWord[]>[]): Promise<number> {
  let [first, from] = [-1, Infinity];
  for (const [channel, run] of runs.entries()) {
    const start = (await run.peek())?.[0]?.start ?? Infinity;
    if (start < from) [first, from] = [channel, start];
  }
  return first;
}

async function* runsOf(words: AsyncIterable<DeepgramWord>, split: number): AsyncGenerator<DeepgramWord[]> {
  let run: DeepgramWord[] = [];
  for await (const word of words) {
    const last = run.at(-1);
    if (last && (word.start - last.end >= split || word.speaker !== last.speaker)) {
      yield run;
      run = [];
    }
    run.push(word);
  }
  if (run.length > 0) yield run;
}

function utteranceOf(words: DeepgramWord[], channel: number, id: string): DeepgramUtterance {
  const speaker = words[0]?.speaker;
  return { start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0, confidence: confidenceOf(words), channel, transcript: transcriptOf(words), words, ...(speaker !== undefined && { speaker }), id };
}
