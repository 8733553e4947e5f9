import { CAPTION_DEFAULTS, CAPTION_DEFAULTS_BY_LANGUAGE, FORMAT_NAMES, FORMATS, isTextFormat, type CaptionOptions, type FormatName } from '@parlance/transcript';

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const TEXT_FORMATS = FORMAT_NAMES.filter(isTextFormat);

const titlesOf = (names: readonly FormatName[]): string => LIST.format(names.map((name) => FORMATS[name].title));

/** The formats with a title and a summary, for the API description. */
export const DOCUMENT_TITLES = titlesOf(FORMAT_NAMES.filter((name) => !isTextFormat(name)));
/** The formats that by default name no speaker where there is only one, for the API description. */
export const TITLES_WITHOUT_ONLY_SPEAKER = titlesOf(TEXT_FORMATS.filter((name) => !FORMATS[name].text.namesOnlySpeaker));
/** The formats that by default contain no times, for the API description. */
export const TITLES_WITHOUT_TIMES = titlesOf(TEXT_FORMATS.filter((name) => !FORMATS[name].text.timestamps));

/** The default of a caption option with its exceptions by language, such as "20; 9 in `zh` and `yue`, 8 in `ja`". */
export function captionDefault(option: keyof CaptionOptions): string {
  const languagesByValue = new Map<number, string[]>();
  for (const [language, { [option]: value }] of Object.entries(CAPTION_DEFAULTS_BY_LANGUAGE)) {
    if (value !== undefined) languagesByValue.set(value, [...(languagesByValue.get(value) ?? []), `\`${language}\``]);
  }
  const exceptions = [...languagesByValue].map(([value, languages]) => `${value} in ${LIST.format(languages)}`);
  return [CAPTION_DEFAULTS[option], ...(exceptions.length > 0 ? [exceptions.join(', ')] : [])].join('; ');
}
