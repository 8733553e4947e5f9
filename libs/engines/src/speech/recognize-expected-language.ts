import { isSameLanguage } from '@parlance/languages';
import type { Recognition, RecognitionRequest, RecognitionWarning, SpeechRecognizer } from './speech-recognizer.js';

/** The languages that a recording may be in, as its caller knows it. All tags are BCP 47. */
export interface ExpectedLanguages {
  /** At least one; the first is the most likely. */
  expected: readonly string[];
  /** 0 to 1: a detection with a lower confidence is uncertain. Without effect where the engine gives no confidence. */
  minConfidence?: number | undefined;
  /** The language for audio whose language is uncertain; default: the first of `expected`. */
  fallback?: string | undefined;
}

export interface SteeredRecognition extends Recognition {
  /** BCP 47: the language of the words, when one was detected or chosen. */
  spoken?: string;
  /** True when no expected language was detected, or with too little confidence; then `language` is absent. */
  isUncertain: boolean;
}

interface Choice {
  language: string;
  confidence?: number | undefined;
}

/**
 * Recognizes audio in one of the expected languages. The engine detects first; audio that it detected as another language is
 * recognized again in the language that was chosen, because no engine accepts a list.
 * @param recognize one call of the engine
 */
export async function recognizeExpectedLanguage(
  recognize: SpeechRecognizer['recognize'],
  request: RecognitionRequest,
  { expected, minConfidence, fallback }: ExpectedLanguages,
): Promise<SteeredRecognition> {
  const detected = await recognize(request);
  if (detected.words.length === 0) return { words: [], isUncertain: false, ...(detected.warnings && { warnings: detected.warnings }) };
  const choice = choose(detected, expected);
  const isCertain = choice !== undefined && (minConfidence === undefined || choice.confidence === undefined || choice.confidence >= minConfidence);
  const warnings = minConfidence !== undefined && choice !== undefined && choice.confidence === undefined ? [CONFIDENCE_UNKNOWN] : [];
  const spoken = isCertain ? choice.language : (fallback ?? expected[0] ?? detected.language);
  const isHeard = detected.language !== undefined && spoken !== undefined && isSameLanguage(detected.language, spoken);
  const { language: _language, languageConfidence: _confidence, languageProbabilities: _probabilities, ...recognized } =
    isHeard || spoken === undefined ? detected : await recognize({ ...request, language: spoken });
  const all = [...(recognized.warnings ?? []), ...warnings, ...(isCertain ? [] : [UNCERTAIN])];
  return {
    ...recognized,
    ...(spoken !== undefined && { spoken }),
    isUncertain: !isCertain,
    ...(isCertain && { language: choice.language, ...(choice.confidence !== undefined && { languageConfidence: choice.confidence }) }),
    ...(all.length > 0 && { warnings: all }),
  };
}

/** The most probable of the expected languages where the engine gives the probability of each, else what it detected, when that is expected. */
function choose({ language, languageConfidence, languageProbabilities }: Recognition, expected: readonly string[]): Choice | undefined {
  const [likeliest] = Object.entries(languageProbabilities ?? {})
    .flatMap(([tag, confidence]) => expected.filter((each) => isSameLanguage(each, tag)).map((each) => ({ language: each, confidence })))
    .toSorted((one, other) => other.confidence - one.confidence);
  if (likeliest) return likeliest;
  const match = expected.find((tag) => language !== undefined && isSameLanguage(tag, language));
  return match === undefined ? undefined : { language: match, confidence: languageConfidence };
}

const UNCERTAIN: RecognitionWarning = {
  code: 'language_uncertain',
  message: 'The language of some parts of the recording was uncertain; they are transcribed in the fallback language, or else in the first expected one.',
};
const CONFIDENCE_UNKNOWN: RecognitionWarning = {
  code: 'language_confidence_unknown',
  message: 'The speech engine gives no confidence of the language, so min_confidence was not applied.',
};
