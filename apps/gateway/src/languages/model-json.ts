import { transcription } from '@parlance/contracts';
import { present } from '../http/schema.js';
import type { ModelJson } from './language-operations.js';
import type { SpeechModel } from './speech-models.js';

const { ENGINE_CONFIDENCE_ALWAYS, ENGINE_CONFIDENCE_NEVER } = transcription.EngineConfidence;

/** The model as the public API shows it. */
export function modelJson({ model, engine, isDefault, isLocal, formatsText, reportsLanguage, wordConfidence, languageConfidence, price }: SpeechModel): ModelJson {
  return present({
    model,
    engine: engine.name,
    is_default: isDefault,
    hosting: isLocal ? ('local' as const) : ('external' as const),
    available: engine.available,
    languages: engine.languages,
    detects_language: engine.detectsLanguage,
    reports_language: reportsLanguage,
    word_times: engine.wordTimes,
    word_confidence: confidenceOf(wordConfidence),
    language_confidence: confidenceOf(languageConfidence),
    vocabulary: engine.vocabulary,
    formats_text: formatsText,
    price: price && { per_minute: price.perMinute, currency: price.currency },
  });
}

function confidenceOf(confidence: transcription.EngineConfidence): ModelJson['word_confidence'] {
  if (confidence === ENGINE_CONFIDENCE_ALWAYS) return 'always';
  return confidence === ENGINE_CONFIDENCE_NEVER ? 'never' : 'sometimes';
}
