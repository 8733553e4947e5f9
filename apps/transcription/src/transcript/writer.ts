import type { SpeechEngineInfo, SpeechEngines } from '@parlance/engines';
import { primaryLanguage } from '@parlance/languages';
import type { RecognitionOptions, Segment } from '@parlance/transcript';

/** Says whether the engine of a job formats its text, and gives the language of words whose language was not detected. */
export function writerOf(engines: SpeechEngines, { model, language }: Pick<RecognitionOptions, 'model' | 'language'>) {
  const engine = engines.find(model)?.recognizer.info;
  return { formatsText: engine?.formatsText ?? true, language: language ?? (engine && onlyLanguage(engine)) };
}

export const onlyLanguage = ({ languages }: SpeechEngineInfo): string | undefined => (languages.length === 1 ? languages[0] : undefined);

/** @param language of segments whose language was not detected, BCP 47 */
export const isEnglish =
  (language: string | undefined) =>
  (segment: Segment): boolean =>
    primaryLanguage(segment.language ?? language ?? 'und') === 'en';
