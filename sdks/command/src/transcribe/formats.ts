import type { ExportFormat } from '@parlance/client';
import { usageError } from '../failures.js';

/** Formats of a transcript, and whether they are text. */
const FORMATS: Record<ExportFormat, 'text' | 'bytes'> = {
  txt: 'text',
  srt: 'text',
  vtt: 'text',
  json: 'text',
  md: 'text',
  docx: 'bytes',
  pdf: 'bytes',
  ttml: 'text',
  ass: 'text',
  stl: 'bytes',
  'chapters.vtt': 'text',
};

export const FORMAT_NAMES = Object.keys(FORMATS) as ExportFormat[];

export const isText = (format: ExportFormat): boolean => FORMATS[format] === 'text';

/** Reads `txt,srt`. @throws CommandError for a format that does not exist */
export function parseFormats(value: string): ExportFormat[] {
  const names = value.split(',').map((name) => name.trim().toLowerCase().replace(/^\./, ''));
  const unknown = names.find((name) => !(name in FORMATS));
  if (unknown !== undefined) throw usageError(`There is no format ${JSON.stringify(unknown)}. Formats: ${FORMAT_NAMES.join(', ')}.`);
  return [...new Set(names)] as ExportFormat[];
}
