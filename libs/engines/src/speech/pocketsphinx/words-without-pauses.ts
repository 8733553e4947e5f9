import { toMilliseconds } from '../pcm-format.js';
import type { RecognizedWord } from '../speech-recognizer.js';
import { FRAME_SECONDS, PAUSE_SECONDS, quietFrames } from './quiet-frames.js';

/**
 * Takes a pause off the beginning and the end of words. In a silence at the edge of an utterance the decoder lets the next word begin
 * seconds before it is spoken. A word without a frame that is not quiet keeps its times.
 */
export function wordsWithoutPauses(words: readonly RecognizedWord[], samples: Int16Array): RecognizedWord[] {
  const quiet = quietFrames(samples);
  return words.map((word) => {
    const first = quiet.indexOf(false, Math.floor(word.start / FRAME_SECONDS)) * FRAME_SECONDS;
    const last = (quiet.lastIndexOf(false, Math.ceil(word.end / FRAME_SECONDS) - 1) + 1) * FRAME_SECONDS;
    if (first < 0 || first >= last) return word;
    return {
      ...word,
      start: first - word.start >= PAUSE_SECONDS ? toMilliseconds(first) : word.start,
      end: word.end - last >= PAUSE_SECONDS ? toMilliseconds(last) : word.end,
    };
  });
}
