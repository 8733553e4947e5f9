import { captionDefaults } from './caption-options.js';
import { FORMATS, renderingOf, type BytesFormat, type TextFormat } from './formats.js';
import type { RenderedBytes, RenderOptions, RenderSource } from './render-options.js';

/**
 * The transcript in a format, piece by piece. What the options leave open: who speaks where that is known, in text and SRT only
 * where there is more than one; times in JSON but not in text; captions as captionDefaults.
 */
export function renderTranscript(format: TextFormat, source: RenderSource, options: Partial<RenderOptions> = {}): AsyncGenerator<string> {
  return FORMATS[format].text.render(source, withDefaults(format, source, options));
}

/** The same for a format that is no text. */
export function renderBytes(format: BytesFormat, source: RenderSource, options: Partial<RenderOptions> = {}): Promise<RenderedBytes> {
  return FORMATS[format].bytes.render(source, withDefaults(format, source, options));
}

function withDefaults(format: TextFormat | BytesFormat, { info }: RenderSource, options: Partial<RenderOptions>): RenderOptions {
  const { namesOnlySpeaker, timestamps } = renderingOf(format);
  const defaults = { speakers: namesOnlySpeaker || info.speakers.length > 1, timestamps, ...captionDefaults(info.language) };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...defaults, ...given };
}
