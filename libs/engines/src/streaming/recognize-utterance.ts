import { toMilliseconds } from '../speech/pcm-format.js';
import { recognizeExpectedLanguage } from '../speech/recognize-expected-language.js';
import { recognizeWithinSpeech } from '../speech/recognize-within-speech.js';
import type { Recognition, RecognitionRequest, RecognizedWord, SpeechRecognizer } from '../speech/speech-recognizer.js';
import type { StreamingRequest } from './streaming-recognizer.js';

/** Recognizes an utterance with a chunk engine. `language` is that of the words, detected or chosen. */
export async function recognizeUtterance(
  recognizer: SpeechRecognizer,
  pcm: Uint8Array,
  { language, detection, vocabulary, signal }: Pick<StreamingRequest, 'language' | 'detection' | 'vocabulary' | 'signal'>,
): Promise<Recognition> {
  const request = { pcm, signal, ...(language !== undefined && { language }), ...(vocabulary !== undefined && { vocabulary }) };
  const recognize = (each: RecognitionRequest) => recognizeWithinSpeech(recognizer, each, [{ start: 0, end: Infinity }]);
  if (!detection) return recognize(request);
  const { spoken, ...recognition } = await recognizeExpectedLanguage(recognize, request, detection);
  return { ...recognition, ...(spoken !== undefined && { language: spoken }) };
}

/** Within the utterance, and to the millisecond from the start of the stream. @param start seconds, as `end` */
export const wordsInStream = (words: readonly RecognizedWord[], start: number, end: number): RecognizedWord[] =>
  words.map((word) => ({ ...word, start: toMilliseconds(Math.min(start + word.start, end)), end: toMilliseconds(Math.min(start + word.end, end)) }));
