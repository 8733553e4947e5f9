import { transcription } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { DocumentFormat } from '@parlance/documents';
import type { RenderOptions, TranscriptFormat } from '@parlance/transcript';

const FORMATS: Partial<Record<transcription.TranscriptFormat, TranscriptFormat>> = {
  [transcription.TranscriptFormat.TRANSCRIPT_FORMAT_JSON]: 'json',
  [transcription.TranscriptFormat.TRANSCRIPT_FORMAT_TXT]: 'txt',
  [transcription.TranscriptFormat.TRANSCRIPT_FORMAT_SRT]: 'srt',
  [transcription.TranscriptFormat.TRANSCRIPT_FORMAT_VTT]: 'vtt',
};

const DOCUMENT_FORMATS: Partial<Record<transcription.TranscriptFormat, DocumentFormat>> = {
  [transcription.TranscriptFormat.TRANSCRIPT_FORMAT_DOCX]: 'docx',
  [transcription.TranscriptFormat.TRANSCRIPT_FORMAT_PDF]: 'pdf',
};

/** Of a document that is written in bytes; undefined for a format of text. */
export const documentFormatOf = ({ format }: transcription.RenderTranscriptRequest): DocumentFormat | undefined => DOCUMENT_FORMATS[format];

/** @throws AppError invalid when the format is not known. */
export function formatOf({ format }: transcription.RenderTranscriptRequest): TranscriptFormat {
  const known = FORMATS[format];
  if (known) return known;
  throw new AppError({ kind: 'invalid', code: 'invalid_format', message: 'The transcript has no such format.' });
}

/** The options that were given. */
export function optionsOf(request: transcription.RenderTranscriptRequest): Partial<RenderOptions> {
  const { speakers, timestamps, maxLineChars, maxLines, minDuration, maxDuration, maxCps } = request;
  const options = { speakers, timestamps, maxLineChars, maxLines, minDuration, maxDuration, maxCps };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
