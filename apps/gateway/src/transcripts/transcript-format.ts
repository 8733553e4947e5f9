import { transcription } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { acceptWeights } from '../http/accept.js';
import type { TRANSCRIPT_FORMATS } from './transcript-operations.js';

const { TranscriptFormat: Format } = transcription;

type FormatName = (typeof TRANSCRIPT_FORMATS)[number];

export interface TranscriptFormat {
  name: string;
  contentType: string;
  message: transcription.TranscriptFormat;
}

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const FORMATS: Record<FormatName, TranscriptFormat> = {
  json: { name: 'json', contentType: 'application/json; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_JSON },
  txt: { name: 'txt', contentType: 'text/plain; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_TXT },
  srt: { name: 'srt', contentType: 'application/x-subrip; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_SRT },
  vtt: { name: 'vtt', contentType: 'text/vtt; charset=utf-8', message: Format.TRANSCRIPT_FORMAT_VTT },
  docx: { name: 'docx', contentType: DOCX, message: Format.TRANSCRIPT_FORMAT_DOCX },
  pdf: { name: 'pdf', contentType: 'application/pdf', message: Format.TRANSCRIPT_FORMAT_PDF },
};

/** By media type, in our order of preference. */
const MEDIA_TYPES: readonly [string, FormatName][] = [
  ['application/json', 'json'],
  ['text/plain', 'txt'],
  ['text/vtt', 'vtt'],
  ['application/x-subrip', 'srt'],
  [DOCX, 'docx'],
  ['application/pdf', 'pdf'],
];

/** Whether it is a document to read, with a title and a summary. */
export const isDocument = ({ name }: TranscriptFormat): boolean => name === 'docx' || name === 'pdf';

/** @throws AppError not_acceptable */
export function chooseFormat(asked: FormatName | undefined, accept: string | undefined): TranscriptFormat {
  const name = asked ?? formatByAccept(accept);
  if (name) return FORMATS[name];
  throw new AppError({ kind: 'invalid', code: 'not_acceptable', message: 'The transcript comes as JSON, text, SRT, WebVTT, DOCX or PDF.' });
}

/** The greatest weight wins; among equals our preference. */
export function formatByAccept(accept: string | undefined): FormatName | undefined {
  if (accept === undefined || accept.trim() === '') return 'json';
  const weights = acceptWeights(accept, MEDIA_TYPES.map(([type]) => type));
  const best = Math.max(...weights);
  return best > 0 ? MEDIA_TYPES[weights.indexOf(best)]?.[1] : undefined;
}
