import type { AcceptedTranscription, ExportFormat, Parlance, Transcription } from '@parlance/client';
import { usageError } from '../failures.js';
import type { Input } from './inputs.js';
import type { JobSettings } from './job-settings.js';
import type { ProgressLine } from './progress-view.js';

interface Options {
  client: Parlance;
  settings: JobSettings;
  signal: AbortSignal;
  progress: ProgressLine;
  idempotencyKey?: string;
  /** Retries of the requests after the upload, by default for more than a minute. */
  maxRetries?: number;
  /** Encrypts the recording to the server's media key while it is uploaded. */
  seal?: boolean;
}

/** Uploads a recording and creates its job. Ctrl-C ends the upload, and not the short request after it: a job that exists has to be known. */
export async function submit(input: Input, { client, settings, signal, progress, idempotencyKey, maxRetries = WAIT_RETRIES, seal = false }: Options): Promise<AcceptedTranscription> {
  progress.update(0, 'uploading');
  const onUploadProgress = ({ sentBytes, totalBytes }: { sentBytes: number; totalBytes: number | undefined }) => progress.update(totalBytes ? (100 * sentBytes) / totalBytes : 0, 'uploading');
  const { file, file_name: fileName, audio_url: url } = seal ? await sealed(input, client) : await input.open();
  const source = file === undefined ? { audio_url: url } : { upload_id: (await client.uploads.create(file, { signal, idempotencyKey, fileName, onProgress: onUploadProgress })).upload_id };
  signal.throwIfAborted();
  return client.transcriptions.create({ ...settings, ...source }, { idempotencyKey, ...(file !== undefined && { maxRetries }) });
}

/** @throws CommandError for a URL, whose file this process does not have */
async function sealed(input: Input, client: Parlance): ReturnType<Input['open']> {
  const { file, file_name: fileName } = await input.open();
  if (file === undefined) throw usageError('--seal encrypts files: the server of a URL has to encrypt its own.');
  const { data } = await client.request<{ data: { recipient: string }[] }>({ method: 'GET', path: '/media-keys' });
  const { sealMedia } = await import('@parlance/client/sealed-media');
  return { file: await sealMedia(file, data[0]?.recipient ?? ''), file_name: `${fileName ?? input.fileName}.age` };
}

/** Waits until the job has ended. */
export function finished(jobId: string, { client, signal, progress, maxRetries = WAIT_RETRIES }: Pick<Options, 'client' | 'signal' | 'progress' | 'maxRetries'>): Promise<Transcription> {
  const onProgress = ({ status, progress: { percent, stage = status } }: Transcription) => progress.update(percent, stage);
  return client.transcriptions.wait(jobId, { signal, onProgress, timeout: MAX_WAIT_MS, maxRetries });
}

/** Over a minute: a server that is restarted costs no upload, and no wait for a job. */
const WAIT_RETRIES = 12;

/** A week: a queue may be long, and Ctrl-C leaves the job. */
const MAX_WAIT_MS = 7 * 24 * 60 * 60 * 1000;

/** The transcript in several formats. */
export async function exported(client: Parlance, jobId: string, formats: readonly ExportFormat[], signal: AbortSignal): Promise<{ format: ExportFormat; content: string | Uint8Array }[]> {
  const documents = [];
  for (const format of formats) documents.push({ format, content: await client.transcriptions.export(jobId, format, {}, { signal }) });
  return documents;
}
