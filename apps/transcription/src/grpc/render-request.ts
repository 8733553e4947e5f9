import { transcription } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { FORMAT_NAMES, type FormatName, type RenderOptions } from '@parlance/transcript';

const BY_MESSAGE: ReadonlyMap<transcription.TranscriptFormat, FormatName> = new Map(
  FORMAT_NAMES.map((name) => [transcription.TranscriptFormat[`TRANSCRIPT_FORMAT_${name.toUpperCase() as Uppercase<FormatName>}`], name]),
);

/** @throws AppError invalid when the format is not known. */
export function formatOf({ format }: transcription.RenderTranscriptRequest): FormatName {
  const known = BY_MESSAGE.get(format);
  if (known) return known;
  throw new AppError({ code: 'invalid_format', message: 'The transcript has no such format.' });
}

/** The options that were given. */
export function optionsOf(request: transcription.RenderTranscriptRequest): Partial<RenderOptions> {
  const { speakers, timestamps, maxLineChars, maxLines, minDuration, maxDuration, maxCps } = request;
  const options = { speakers, timestamps, maxLineChars, maxLines, minDuration, maxDuration, maxCps };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
