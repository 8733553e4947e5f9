import { transcription } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { FORMAT_NAMES, FORMATS, isTextFormat, type FormatName } from '@parlance/transcript';
import { acceptWeights } from '../http/accept.js';

export interface ChosenFormat {
  name: FormatName;
  contentType: string;
  message: transcription.TranscriptFormat;
}

export const MEDIA_TYPES = FORMAT_NAMES.map((name) => FORMATS[name].mediaType);

export const chosenFormat = (name: FormatName): ChosenFormat => ({
  name,
  contentType: FORMATS[name].mediaType.startsWith('text/') || isTextFormat(name) ? `${FORMATS[name].mediaType}; charset=utf-8` : FORMATS[name].mediaType,
  message: transcription.TranscriptFormat[`TRANSCRIPT_FORMAT_${name.toUpperCase() as Uppercase<FormatName>}`],
});

/** The format as a file to be saved, whatever it is. */
export const exportFormat = (name: FormatName): ChosenFormat => ({ ...chosenFormat(name), contentType: 'application/octet-stream' });

const IN_WORDS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(FORMAT_NAMES.map((name) => FORMATS[name].title));

/** @throws AppError not_acceptable */
export function chooseFormat(asked: FormatName | undefined, accept: string | undefined): ChosenFormat {
  const name = asked ?? formatByAccept(accept);
  if (name) return chosenFormat(name);
  throw new AppError({ code: 'not_acceptable', message: `The transcript is available as ${IN_WORDS}.` });
}

/** The greatest weight wins; among equals our preference. */
export function formatByAccept(accept: string | undefined): FormatName | undefined {
  if (accept === undefined || accept.trim() === '') return 'json';
  const weights = acceptWeights(accept, MEDIA_TYPES);
  const best = Math.max(...weights);
  return best > 0 ? FORMAT_NAMES[weights.indexOf(best)] : undefined;
}
