import { captionDefaults } from './caption-options.js';
import { FORMATS, type TextFormat } from './formats.js';
import type { RenderOptions, RenderSource } from './render-options.js';

/**
 * The transcript in a format, piece by piece. What the options leave open: who speaks where that is known, in text and SRT only
 * where there is more than one; times in JSON but not in text; captions as captionDefaults.
 */
export function renderTranscript(format: TextFormat, source: RenderSource, options: Partial<RenderOptions> = {}): AsyncGenerator<string> {
  const { render, namesOnlySpeaker, timestamps } = FORMATS[format].text;
  const defaults = { speakers: namesOnlySpeaker || source.info.speakers.length > 1, timestamps, ...captionDefaults(source.info.language) };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return render(source, { ...defaults, ...given });
}
