import { z } from 'zod';

/** The resources of a job, each with its path below that of the job and its description. */
const PATHS = {
  self: ['', 'The job.'],
  transcript: ['/transcript', 'Its transcript as a document.'],
  speakers: ['/speakers', 'Its speakers.'],
  events: ['/events', 'Its Server-Sent Events.'],
  summary: ['/summary', 'Its summary.'],
  summaries: ['/summaries', 'Its further summaries.'],
  media: ['/media', 'Its recording.'],
  waveform: ['/waveform', 'The peaks of its recording.'],
  chapters: ['/chapters', 'Its chapters.'],
  entities: ['/entities', 'Its entities.'],
  highlights: ['/highlights', 'Its highlights.'],
} as const satisfies Record<string, readonly [path: string, description: string]>;

type LinkName = keyof typeof PATHS;

const entries = Object.entries(PATHS) as [LinkName, readonly [string, string]][];

/** The addresses of a job and its resources. */
export const transcriptionLinks = z
  .object(Object.fromEntries(entries.map(([name, [, description]]) => [name, z.string().meta({ description })])) as Record<LinkName, z.ZodString>)
  .meta({ id: 'TranscriptionLinks', description: 'Where the job and what belongs to it can be read: URLs, or paths when the operator has set no PUBLIC_URL.' });

/** @param publicUrl URL of this server, without a slash at its end; undefined gives paths */
export function linksOf(jobId: string, publicUrl = ''): Record<LinkName, string> {
  const self = `${publicUrl}/api/v1/transcriptions/${jobId}`;
  return Object.fromEntries(entries.map(([name, [path]]) => [name, `${self}${path}`])) as Record<LinkName, string>;
}
