import { z } from 'zod';
import { invalidValue, languageTag, unsupportedParameter } from '../request-texts.js';

const OPTIONS = 'language_detection_options';

/** The fields that choose the language. */
export const languageFields = {
  language_code: z.string().nullish(),
  language_detection: z.boolean().nullish(),
  language_confidence_threshold: z.number().min(0).max(1).nullish(),
  [OPTIONS]: z
    .looseObject({ expected_languages: z.array(z.string()).max(20).nullish(), fallback_language: z.string().nullish(), on_low_language_confidence: z.enum(['error', 'fallback']).nullish() })
    .nullish(),
} as const;

const languageObject = z.object(languageFields);
type LanguageFields = z.output<typeof languageObject>;

/** The language of the job, or how it is detected; undefined: any is. @throws AppError invalid_request for fields that would have no effect */
export function languageOf(fields: LanguageFields) {
  const { language_code: code, language_detection: isDetected } = fields;
  if (!code) return detectionOf(fields);
  if (isDetected) throw invalidValue('language_code', 'This cannot be given together with language_detection.');
  for (const name of ['language_confidence_threshold', OPTIONS] as const) if (fields[name]) throw invalidValue(name, 'This cannot be given together with language_code.');
  return tagOf('language_code', code);
}

function detectionOf({ language_confidence_threshold: threshold, [OPTIONS]: options }: LanguageFields) {
  const { expected_languages: all, fallback_language: given, on_low_language_confidence: onLow, ...others } = options ?? {};
  for (const [name, value] of Object.entries(others)) if (value) throw unsupportedParameter(OPTIONS, `This server does not support ${name.slice(0, 100)}.`);
  const expected = all?.filter((each) => each !== 'all') ?? [];
  const fallback = given && given !== 'auto' ? given : undefined;
  if (onLow && (onLow === 'fallback') !== (fallback !== undefined)) throw unsupportedParameter(OPTIONS, 'A language below the threshold is an error without fallback_language, and that language with it: on_low_language_confidence cannot change this.');
  if (expected.length > 0) {
    return {
      expected: expected.map((each) => tagOf(OPTIONS, each)),
      ...(typeof threshold === 'number' && { min_confidence: threshold }),
      ...(fallback !== undefined && { fallback: tagOf(OPTIONS, fallback) }),
    };
  }
  if (threshold) throw unsupportedParameter('language_confidence_threshold', `A threshold needs the languages to choose from: ${OPTIONS}.expected_languages.`);
  if (fallback !== undefined) throw unsupportedParameter(OPTIONS, 'fallback_language needs the languages to choose from: expected_languages.');
  return undefined;
}

/** `en_us` is `en-US`; AssemblyAI writes the United Kingdom as `uk`. */
const tagOf = (field: string, code: string): string => languageTag(field, code.toLowerCase().replace(/[-_]uk$/, '-gb'));
