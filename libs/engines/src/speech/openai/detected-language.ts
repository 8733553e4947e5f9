import { whisperLanguageTag } from '@parlance/languages';
import type { Recognition } from '../speech-recognizer.js';
import type { VerboseTranscription } from './verbose-transcription.js';

type Detection = Pick<Recognition, 'language' | 'languageConfidence' | 'languageProbabilities'>;

/** The language of an answer, with the confidence of the servers that give one: whisper.cpp, and those of faster-whisper that pass it on. */
export function detectedLanguage(answer: VerboseTranscription): Detection {
  const language = whisperLanguageTag(answer.detected_language ?? answer.language ?? undefined);
  if (language === undefined) return {};
  const confidence = answer.detected_language_probability ?? answer.language_probability ?? undefined;
  const probabilities = Object.entries(answer.language_probabilities ?? {}).flatMap(([name, probability]) => {
    const tag = whisperLanguageTag(name);
    return tag === undefined ? [] : [[tag, probability] as const];
  });
  return {
    language,
    ...(confidence !== undefined && { languageConfidence: confidence }),
    ...(probabilities.length > 0 && { languageProbabilities: Object.fromEntries(probabilities) }),
  };
}
