import { CAPTION_DEFAULTS, CAPTION_DEFAULTS_BY_LANGUAGE, FORMAT_NAMES, FORMATS, isDocumentFormat, renderingOf, type BytesFormat, type CaptionOptions, type FormatName, type TextFormat } from '@parlance/transcript';

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const RENDERED_FORMATS = FORMAT_NAMES.filter((name): name is TextFormat | BytesFormat => !isDocumentFormat(name));

const titlesOf = (names: readonly FormatName[]): string => LIST.format(names.map((name) => FORMATS[name].title));

/** The formats with a title and a summary, for the API description. */
export const DOCUMENT_TITLES = titlesOf(FORMAT_NAMES.filter((name) => isDocumentFormat(name)));
/** The formats that by default name no speaker where there is only one, for the API description. */
export const TITLES_WITHOUT_ONLY_SPEAKER = titlesOf(RENDERED_FORMATS.filter((name) => !renderingOf(name).namesOnlySpeaker));
/** The formats that by default contain no times, for the API description. */
export const TITLES_WITHOUT_TIMES = titlesOf(RENDERED_FORMATS.filter((name) => !renderingOf(name).timestamps));

/** The default of a caption option with its exceptions by language, such as "20; 9 in `zh` and `yue`, 8 in `ja`". */
export function captionDefault(option: keyof CaptionOptions): string {
  const languagesByValue = new Map<number, string[]>();
  for (const [language, { [option]: value }] of Object.entries(CAPTION_DEFAULTS_BY_LANGUAGE)) {
    if (value !== undefined) languagesByValue.set(value, [...(languagesByValue.get(value) ?? []), `\`${language}\``]);
  }
  const exceptions = [...languagesByValue].map(([value, languages]) => `${value} in ${LIST.format(languages)}`);
  return [CAPTION_DEFAULTS[option], ...(exceptions.length > 0 ? [exceptions.join(', ')] : [])].join('; ');
}
