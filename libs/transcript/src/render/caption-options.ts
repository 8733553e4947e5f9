export interface CaptionOptions {
  /** Graphemes a line holds, a speaker's label included. */
  maxLineChars: number;
  maxLines: number;
  /** Seconds. */
  minDuration: number;
  /** Seconds. */
  maxDuration: number;
  /** Graphemes a second a viewer is asked to read, spaces and label included. */
  maxCps: number;
}

/**
 * Netflix Timed Text Style Guide, general requirements (two lines, 5/6 s to 7 s) and English (42 characters a line,
 * 20 characters a second for adults): https://partnerhelp.netflixstudios.com/hc/en-us/articles/215758617 and …/217350977.
 */
export const CAPTION_DEFAULTS: CaptionOptions = { maxLineChars: 42, maxLines: 2, minDuration: 0.833, maxDuration: 7, maxCps: 20 };
