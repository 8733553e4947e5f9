import { transcription, type engines } from '@parlance/contracts';
import { DEFAULT_MODEL, type EngineConfidence, type SpeechEngine, type SpeechRecognizer } from '@parlance/engines';

const CONFIDENCE: Readonly<Record<EngineConfidence, transcription.EngineConfidence>> = {
  always: transcription.EngineConfidence.ENGINE_CONFIDENCE_ALWAYS,
  never: transcription.EngineConfidence.ENGINE_CONFIDENCE_NEVER,
  sometimes: transcription.EngineConfidence.ENGINE_CONFIDENCE_SOMETIMES,
};

/** The engine as the other services see it, and whether it can run here now. */
export async function engineMessage(recognizer: SpeechRecognizer): Promise<engines.Engine> {
  const { name, languages, detectsLanguage, vocabulary, wordTimes } = recognizer.info;
  const available = await recognizer.check().then(
    () => true,
    () => false,
  );
  return { name, languages: [...languages], detectsLanguage, vocabulary, wordTimes, available };
}

export async function speechEngineMessage({ model, recognizer, price }: SpeechEngine): Promise<transcription.SpeechEngine> {
  const { isLocal, formatsText, reportsLanguage, wordConfidence, languageConfidence } = recognizer.info;
  return {
    model,
    engine: await engineMessage(recognizer),
    isDefault: model === DEFAULT_MODEL,
    isLocal,
    reportsLanguage,
    formatsText,
    wordConfidence: CONFIDENCE[wordConfidence],
    languageConfidence: CONFIDENCE[languageConfidence],
    price,
  };
}
