import { z } from 'zod';
import type { Transcription, TranscriptionSummary } from './client.js';
import { clock } from './clock.js';

/** The state of a recording, as tools return it. */
export const RECORDING = {
  job_id: z.string(),
  title: z.string().optional().describe('The title, or else the name of the file.'),
  status: z.string().describe('queued, processing, completed, failed or canceled.'),
  percent: z.number().describe('Progress of the work.'),
  created_at: z.string(),
  duration: z.number().optional().describe('Seconds.'),
  language: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
};

export type Recording = z.output<z.ZodObject<typeof RECORDING>>;

export function recordingOf({ job_id, title, file_name, audio_url, status, progress, created_at, media, language, error }: TranscriptionSummary | Transcription): Recording {
  const spoken = language.transcript ?? language.detected ?? language.requested;
  return {
    job_id,
    title: title ?? file_name ?? audio_url,
    status,
    percent: progress.percent,
    created_at,
    ...(media?.duration !== undefined && { duration: media.duration }),
    ...(spoken !== undefined && { language: spoken }),
    ...(error && { error: { code: error.code, message: error.message, retryable: error.retryable } }),
  };
}

export function recordingLine({ job_id, title, status, percent, created_at, duration, error }: Recording): string {
  const length = duration === undefined ? '' : `, ${clock(duration)} long`;
  const state = status === 'processing' ? `processing, ${percent} %` : status;
  return `${job_id}: ${title ?? 'no title'} (${state}${length}, added ${created_at})${error ? ` ${error.code}: ${error.message}` : ''}`;
}
