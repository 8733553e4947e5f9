import { canonicalLanguage, primaryLanguage } from './language-tag.js';

/**
 * The languages of Whisper's tokenizer (openai/whisper, tokenizer.py), by the code that it takes, and what it calls them in
 * its answers. OpenAI documents 57 of them, where it errs least; all models and servers of the family take the rest as well.
 */
const LANGUAGE_NAMES = {
  en: 'english', zh: 'chinese', de: 'german', es: 'spanish', ru: 'russian', ko: 'korean', fr: 'french', ja: 'japanese',
  pt: 'portuguese', tr: 'turkish', pl: 'polish', ca: 'catalan', nl: 'dutch', ar: 'arabic', sv: 'swedish', it: 'italian',
  id: 'indonesian', hi: 'hindi', fi: 'finnish', vi: 'vietnamese', he: 'hebrew', uk: 'ukrainian', el: 'greek', ms: 'malay',
  cs: 'czech', ro: 'romanian', da: 'danish', hu: 'hungarian', ta: 'tamil', no: 'norwegian', th: 'thai', ur: 'urdu',
  hr: 'croatian', bg: 'bulgarian', lt: 'lithuanian', la: 'latin', mi: 'maori', ml: 'malayalam', cy: 'welsh', sk: 'slovak',
  te: 'telugu', fa: 'persian', lv: 'latvian', bn: 'bengali', sr: 'serbian', az: 'azerbaijani', sl: 'slovenian', kn: 'kannada',
  et: 'estonian', mk: 'macedonian', br: 'breton', eu: 'basque', is: 'icelandic', hy: 'armenian', ne: 'nepali',
  mn: 'mongolian', bs: 'bosnian', kk: 'kazakh', sq: 'albanian', sw: 'swahili', gl: 'galician', mr: 'marathi', pa: 'punjabi',
  si: 'sinhala', km: 'khmer', sn: 'shona', yo: 'yoruba', so: 'somali', af: 'afrikaans', oc: 'occitan', ka: 'georgian',
  be: 'belarusian', tg: 'tajik', sd: 'sindhi', gu: 'gujarati', am: 'amharic', yi: 'yiddish', lo: 'lao', uz: 'uzbek',
  fo: 'faroese', ht: 'haitian creole', ps: 'pashto', tk: 'turkmen', nn: 'nynorsk', mt: 'maltese', sa: 'sanskrit',
  lb: 'luxembourgish', my: 'myanmar', bo: 'tibetan', tl: 'tagalog', mg: 'malagasy', as: 'assamese', tt: 'tatar',
  haw: 'hawaiian', ln: 'lingala', ha: 'hausa', ba: 'bashkir', jw: 'javanese', su: 'sundanese', yue: 'cantonese',
} as const;

/** Canonical primary subtags for which Whisper has another code. */
const WHISPER_CODE: Readonly<Record<string, string>> = { nb: 'no', fil: 'tl', jv: 'jw' };

/** Names that other tools of the family use (tokenizer.py, TO_LANGUAGE_CODE). */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  burmese: 'my', valencian: 'ca', flemish: 'nl', haitian: 'ht', letzeburgesch: 'lb', pushto: 'ps', panjabi: 'pa', moldavian: 'ro',
  moldovan: 'ro', sinhalese: 'si', castilian: 'es', mandarin: 'zh', farsi: 'fa', 'norwegian nynorsk': 'nn',
};

const CODE_BY_NAME = new Map<string, string>([...Object.entries(LANGUAGE_NAMES).map(([code, name]) => [name, code] as const), ...Object.entries(OTHER_NAMES)]);

/** Their primary subtags in BCP 47. */
export const WHISPER_LANGUAGES: readonly string[] = Object.keys(LANGUAGE_NAMES).map((code) => canonicalLanguage(code) ?? code);

/** The code to send for a BCP 47 tag: `pt-BR` is `pt`, `nb` is `no`, `zh-Hant` is `zh`. */
export function whisperCode(tag: string): string {
  const primary = primaryLanguage(canonicalLanguage(tag) ?? tag);
  return WHISPER_CODE[primary] ?? primary;
}

/** The BCP 47 tag of an answer's language, which is a name (`english`), a code (`en`) or a token (`<|en|>`) by server and model; undefined if neither. */
export function whisperLanguageTag(answer: string | undefined): string | undefined {
  const name = answer?.replaceAll(/[<|>]/g, '').trim().toLowerCase() ?? '';
  const code = CODE_BY_NAME.get(name) ?? (/^[a-z]{2,3}([-_][a-z0-9]+)*$/.test(name) ? name.replaceAll('_', '-') : undefined);
  return code && canonicalLanguage(code);
}
