import { CAPTION_DEFAULTS } from './caption-options.js';
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

/** The transcript in a format, piece by piece. What the options leave open: speakers where known, times in JSON but not in text, captions as CAPTION_DEFAULTS. */
export function renderTranscript(format: TranscriptFormat, source: RenderSource, options: Partial<RenderOptions> = {}): AsyncGenerator<string> {
  const defaults = { speakers: true, timestamps: format !== 'txt', ...CAPTION_DEFAULTS };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return RENDERERS[format](source, { ...defaults, ...given });
}
