import { canonicalLanguage, languageName } from './language-tag.js';
import { WHISPER_LANGUAGES, whisperLanguageTag } from './whisper-languages.js';

/** `en_US`, `zh_Hant_TW`: a locale as POSIX and Java write it. */
const UNDERSCORES = /^[a-z]{2,3}(_[a-z0-9]{2,8})+$/i;

/** Words that other products take where a language is to be detected. */
const DETECT = new Set(['auto', 'automatic', 'detect', 'autodetect', 'auto-detect', 'any', 'multi', 'und', 'unknown']);

let tagsByName: Map<string, string> | undefined;

/** Guesses the language that a caller meant by this text, as a sentence; undefined when there is no guess. */
export function languageHint(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  if (DETECT.has(name)) return 'Omit the field to have the language detected.';
  const tag = UNDERSCORES.test(name) ? canonicalLanguage(name.replaceAll('_', '-')) : tagOfName(name);
  return tag === undefined ? undefined : `Did you mean ${tag}?`;
}

/** The tag of a language by its name in English or in itself: `german` and `deutsch` are `de`. */
function tagOfName(name: string): string | undefined {
  tagsByName ??= new Map(WHISPER_LANGUAGES.flatMap((tag) => [[ownName(tag), tag], [languageName(tag).toLowerCase(), tag]] as const));
  return tagsByName.get(name) ?? (name.length > 3 && /^[a-z ]+$/.test(name) ? nameOfFamily(name) : undefined);
}

/** The names that the Whisper family uses; a code is no name. */
function nameOfFamily(name: string): string | undefined {
  const tag = whisperLanguageTag(name);
  return tag !== undefined && WHISPER_LANGUAGES.includes(tag) ? tag : undefined;
}

const ownName = (tag: string): string => (new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag).toLowerCase();
