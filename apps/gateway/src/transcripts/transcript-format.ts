import { transcription } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { TRANSCRIPT_FORMATS } from './transcript-operations.js';

const { TranscriptFormat: Format } = transcription;

type FormatName = (typeof TRANSCRIPT_FORMATS)[number];

export interface TranscriptFormat {
  name: string;
  contentType: string;
  message: transcription.TranscriptFormat;
}

const FORMATS: Partial<Record<FormatName, TranscriptFormat>> = {
  json: { name: 'json', contentType: 'application/json; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_JSON },
  txt: { name: 'txt', contentType: 'text/plain; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_TXT },
  srt: { name: 'srt', contentType: 'application/x-subrip; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_SRT },
  vtt: { name: 'vtt', contentType: 'text/vtt; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_VTT },
};

/** By media type, in our order of preference. */
const MEDIA_TYPES: readonly [string, FormatName][] = [
  ['application/json', 'json'],
  ['text/plain', 'txt'],
  ['text/vtt', 'vtt'],
  ['application/x-subrip', 'srt'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/pdf', 'pdf'],
];

/** @throws AppError not_acceptable, format_not_available */
export function chooseFormat(asked: FormatName | undefined, accept: string | undefined): TranscriptFormat {
  const name = asked ?? formatByAccept(accept);
  const format = name && FORMATS[name];
  if (format) return format;
  if (name) throw notAvailable(name);
  throw new AppError({ kind: 'invalid', code: 'not_acceptable', message: 'The transcript comes as JSON, text, SRT or WebVTT.' });
}

/** RFC 9110, section 12.5.1: the most specific range that matches a type gives its weight, the greatest weight wins. */
export function formatByAccept(accept: string | undefined): FormatName | undefined {
  if (accept === undefined || accept.trim() === '') return 'json';
  const ranges = accept.split(',').map(parseRange);
  const weighted = MEDIA_TYPES.map(([type, name]) => ({ name, weight: weightOf(type, ranges) }));
  const best = weighted.reduce((best, each) => (each.weight > best.weight ? each : best));
  return best.weight > 0 ? best.name : undefined;
}

interface MediaRange {
  type: string;
  weight: number;
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  const range = [type, family, '*/*'].map((wanted) => ranges.find((range) => range.type === wanted)).find((found) => found !== undefined);
  return range?.weight ?? 0;
}

const notAvailable = (name: string) =>
  new AppError({ kind: 'invalid', code: 'format_not_available', message: `This server does not write ${name}; ask for json, txt, srt or vtt.` });
