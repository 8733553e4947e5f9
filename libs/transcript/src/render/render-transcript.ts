import { captionDefaults } from './caption-options.js';
import { renderJson } from './render-json.js';
import type { RenderOptions, RenderSource, TranscriptFormat } from './render-options.js';
import { renderSrt } from './render-srt.js';
import { renderTxt } from './render-txt.js';
import { renderVtt } from './render-vtt.js';

const RENDERERS: Record<TranscriptFormat, (source: RenderSource, options: RenderOptions) => AsyncGenerator<string>> = {
  json: renderJson,
  txt: renderTxt,
  srt: renderSrt,
  vtt: renderVtt,
};

/**
 * The transcript in a format, piece by piece. What the options leave open: who speaks where that is known, in text and SRT only
 * where there is more than one; times in JSON but not in text; captions as captionDefaults.
 */
export function renderTranscript(format: TranscriptFormat, source: RenderSource, options: Partial<RenderOptions> = {}): AsyncGenerator<string> {
  const isForReaders = format === 'txt' || format === 'srt';
  const defaults = { speakers: !isForReaders || source.info.speakers.length > 1, timestamps: format !== 'txt', ...captionDefaults(source.info.language) };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return RENDERERS[format](source, { ...defaults, ...given });
}
