import { pcmSeconds } from './pcm-format.js';
import { removeRepetitions } from './repetition-detector.js';
import { gateWords, type SpeechInterval } from './speech-gate.js';
import type { Recognition, RecognitionRequest, SpeechRecognizer } from './speech-recognizer.js';

/**
 * Recognises a chunk and keeps only what can have been said: without a region of speech the engine is not called at all,
 * words outside the regions and loops are dropped. `regions` are seconds from the chunk's start.
 */
export async function recognizeWithinSpeech(
  recognizer: SpeechRecognizer,
  request: RecognitionRequest,
  regions: readonly SpeechInterval[],
): Promise<Recognition> {
  const duration = pcmSeconds(request.pcm);
  if (!regions.some(({ start, end }) => end > 0 && start < duration)) return { words: [] };
  const recognition = await recognizer.recognize(request);
  const { words } = removeRepetitions(gateWords(recognition.words, regions));
  return { ...recognition, words };
}
