import { isCjk, primaryLanguage } from '@parlance/languages';

export interface CaptionOptions {
  /** Characters a line holds, a speaker's label included; in Chinese, Japanese and Korean the wide ones, of which others take half. */
  maxLineChars: number;
  maxLines: number;
  /** Seconds. */
  minDuration: number;
  /** Seconds. */
  maxDuration: number;
  /** Characters, counted alike, a second a viewer is asked to read, spaces and label included. */
  maxCps: number;
}

/**
 * Netflix Timed Text Style Guide, general requirements (two lines, 5/6 s to 7 s) and English (42 characters a line,
 * 20 characters a second for adults): https://partnerhelp.netflixstudios.com/hc/en-us/articles/215758617 and …/217350977.
 */
export const CAPTION_DEFAULTS: CaptionOptions = { maxLineChars: 42, maxLines: 2, minDuration: 0.833, maxDuration: 7, maxCps: 20 };

/**
 * The same guide's for Chinese and Korean. For Japanese it asks 13 characters and 4 a second of subtitles, which shorten what
 * is said; captions here are verbatim, at the pace of speech, so that they are given the line of Chinese and twice the pace.
 */
export const CAPTION_DEFAULTS_BY_LANGUAGE: Readonly<Record<string, Partial<CaptionOptions>>> = {
  zh: { maxLineChars: 16, maxCps: 9 },
  yue: { maxLineChars: 16, maxCps: 9 },
  ja: { maxLineChars: 16, maxCps: 8 },
  ko: { maxLineChars: 16, maxCps: 12 },
};

export const captionDefaults = (language: string): CaptionOptions => ({ ...CAPTION_DEFAULTS, ...CAPTION_DEFAULTS_BY_LANGUAGE[primaryLanguage(language)] });

/** The options in columns (`columnCount`), in which captions are laid out. */
export function inColumns(options: CaptionOptions, language: string): CaptionOptions {
  if (!isCjk(language)) return options;
  return { ...options, maxLineChars: options.maxLineChars * 2, maxCps: options.maxCps * 2 };
}
