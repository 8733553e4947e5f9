import { renderJson } from './render-json.js';
import type { RenderOptions, RenderSource } from './render-options.js';
import { renderSrt } from './render-srt.js';
import { renderTxt } from './render-txt.js';
import { renderVtt } from './render-vtt.js';

interface TextRendering {
  render: (source: RenderSource, options: RenderOptions) => AsyncGenerator<string>;
  /** Unless the options say otherwise: whether it names the speaker where there is only one, and whether it contains times. */
  namesOnlySpeaker: boolean;
  timestamps: boolean;
}

interface ExportFormat {
  /** As a sentence says it. */
  title: string;
  mediaType: string;
  /** Absent for a document, which `@parlance/documents` writes in bytes, with a title and a summary. */
  text?: TextRendering;
}

/**
 * Every format of a transcript, in the order of preference where a request accepts several alike. The proto's enum has a value
 * for each name (`TRANSCRIPT_FORMAT_<NAME>`); the API's parameter, media types and texts and the console's buttons derive from here.
 */
export const FORMATS = {
  json: { title: 'JSON', mediaType: 'application/json', text: { render: renderJson, namesOnlySpeaker: true, timestamps: true } },
  txt: { title: 'text', mediaType: 'text/plain', text: { render: renderTxt, namesOnlySpeaker: false, timestamps: false } },
  vtt: { title: 'WebVTT', mediaType: 'text/vtt', text: { render: renderVtt, namesOnlySpeaker: true, timestamps: true } },
  srt: { title: 'SRT', mediaType: 'application/x-subrip', text: { render: renderSrt, namesOnlySpeaker: false, timestamps: true } },
  docx: { title: 'DOCX', mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  pdf: { title: 'PDF', mediaType: 'application/pdf' },
} as const satisfies Record<string, ExportFormat>;

export type FormatName = keyof typeof FORMATS;
/** Formats that `renderTranscript` writes. */
export type TextFormat = { [Name in FormatName]: (typeof FORMATS)[Name] extends { text: TextRendering } ? Name : never }[FormatName];
/** Formats that a document writer makes. */
export type BinaryFormat = Exclude<FormatName, TextFormat>;

export const FORMAT_NAMES = Object.keys(FORMATS) as [FormatName, ...FormatName[]];

export const isTextFormat = (name: FormatName): name is TextFormat => 'text' in FORMATS[name];
