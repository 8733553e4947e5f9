import { renderAss } from './render-ass.js';
import { renderJson } from './render-json.js';
import type { RenderedBytes, RenderOptions, RenderSource } from './render-options.js';
import { renderSrt } from './render-srt.js';
import { renderTtml } from './render-ttml.js';
import { renderTxt } from './render-txt.js';
import { renderVtt } from './render-vtt.js';
import { renderStl } from './stl/render-stl.js';

interface Rendering<Rendered> {
  render: (source: RenderSource, options: RenderOptions) => Rendered;
  /** Unless the options say otherwise: whether it names the speaker where there is only one, and whether it contains times. */
  namesOnlySpeaker: boolean;
  timestamps: boolean;
}

interface ExportFormat {
  /** As a sentence says it. */
  title: string;
  mediaType: string;
  /** In UTF-8. */
  text?: Rendering<AsyncGenerator<string>>;
  /** A format of captions that is no text. Formats with neither are documents, which `@parlance/documents` writes, with a title and a summary. */
  bytes?: Rendering<Promise<RenderedBytes>>;
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
  ttml: { title: 'TTML', mediaType: 'application/ttml+xml', text: { render: renderTtml, namesOnlySpeaker: false, timestamps: true } },
  ass: { title: 'ASS', mediaType: 'text/x-ssa', text: { render: renderAss, namesOnlySpeaker: false, timestamps: true } },
  stl: { title: 'EBU STL', mediaType: 'application/x-ebu-stl', bytes: { render: renderStl, namesOnlySpeaker: false, timestamps: true } },
  docx: { title: 'DOCX', mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  pdf: { title: 'PDF', mediaType: 'application/pdf' },
} as const satisfies Record<string, ExportFormat>;

export type FormatName = keyof typeof FORMATS;
type NamesWith<Kind extends 'text' | 'bytes'> = { [Name in FormatName]: (typeof FORMATS)[Name] extends Record<Kind, object> ? Name : never }[FormatName];
/** Formats that `renderTranscript` writes. */
export type TextFormat = NamesWith<'text'>;
/** Formats that `renderBytes` writes. */
export type BytesFormat = NamesWith<'bytes'>;
/** Formats that a document writer makes. */
export type BinaryFormat = Exclude<FormatName, TextFormat | BytesFormat>;

export const FORMAT_NAMES = Object.keys(FORMATS) as [FormatName, ...FormatName[]];

export const isTextFormat = (name: FormatName): name is TextFormat => 'text' in FORMATS[name];

export const isBytesFormat = (name: FormatName): name is BytesFormat => 'bytes' in FORMATS[name];

export const isDocumentFormat = (name: FormatName): name is BinaryFormat => !isTextFormat(name) && !isBytesFormat(name);

/** The defaults of a rendered format, which options replace. */
export const renderingOf = (name: TextFormat | BytesFormat): Pick<Rendering<unknown>, 'namesOnlySpeaker' | 'timestamps'> => (isTextFormat(name) ? FORMATS[name].text : FORMATS[name].bytes);
