/** The languages that OpenAI documents for Whisper (platform.openai.com, speech to text), by ISO 639-1 code. */
const LANGUAGE_NAMES = {
  af: 'afrikaans', ar: 'arabic', hy: 'armenian', az: 'azerbaijani', be: 'belarusian', bs: 'bosnian', bg: 'bulgarian',
  ca: 'catalan', zh: 'chinese', hr: 'croatian', cs: 'czech', da: 'danish', nl: 'dutch', en: 'english', et: 'estonian',
  fi: 'finnish', fr: 'french', gl: 'galician', de: 'german', el: 'greek', he: 'hebrew', hi: 'hindi', hu: 'hungarian',
  is: 'icelandic', id: 'indonesian', it: 'italian', ja: 'japanese', kn: 'kannada', kk: 'kazakh', ko: 'korean',
  lv: 'latvian', lt: 'lithuanian', mk: 'macedonian', ms: 'malay', mr: 'marathi', mi: 'maori', ne: 'nepali',
  no: 'norwegian', fa: 'persian', pl: 'polish', pt: 'portuguese', ro: 'romanian', ru: 'russian', sr: 'serbian',
  sk: 'slovak', sl: 'slovenian', es: 'spanish', sw: 'swahili', sv: 'swedish', tl: 'tagalog', ta: 'tamil', th: 'thai',
  tr: 'turkish', uk: 'ukrainian', ur: 'urdu', vi: 'vietnamese', cy: 'welsh',
} as const;

/** BCP 47 primary subtags for which Whisper has another word. */
const WHISPER_CODE: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', fil: 'tl', iw: 'he', in: 'id', cmn: 'zh' };

const CODE_BY_NAME = new Map<string, string>(Object.entries(LANGUAGE_NAMES).map(([code, name]) => [name, code]));

/** BCP 47 primary subtags that a request may name. */
export const WHISPER_LANGUAGES: readonly string[] = [...Object.keys(LANGUAGE_NAMES), ...Object.keys(WHISPER_CODE)];

/** The ISO 639-1 code to send for a BCP 47 tag: `pt-BR` is `pt`, `nb` is `no`. */
export function whisperCode(tag: string): string {
  const primary = tag.toLowerCase().split('-')[0] ?? '';
  return WHISPER_CODE[primary] ?? primary;
}

/** The BCP 47 tag of an answer's language, which is a name (`english`) or a code (`en`) by server; undefined if neither. */
export function languageTag(answer: string | undefined): string | undefined {
  const name = answer?.trim().toLowerCase() ?? '';
  return CODE_BY_NAME.get(name) ?? (/^[a-z]{2,3}(-[a-z0-9]+)*$/.test(name) ? name : undefined);
}
