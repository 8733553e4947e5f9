import type { common } from '@parlance/contracts';
import { AppError, inSpan, toAppError } from '@parlance/platform';
import type { RecognitionOptions } from '@parlance/transcript';
import type { ChunkLengths } from '../chunk-planner.js';
import type { MediaFetcher, MediaPipeline } from '../index.js';
import type { EngineLimit } from './engine-limit.js';
import type { StorageLeft } from './storage-left.js';
import { mediaKeys } from '../index.js';
import type { MediaLimits } from '../../jobs/state/job.js';
import type { PlannedMedia } from '../../jobs/state/job-input.js';

export interface IntakeRequest {
  accountId: string;
  jobId: string;
  signal: AbortSignal;
  /** In place of the settings'. */
  limits?: MediaLimits | undefined;
  /** Receives the part of this step that is done, 0 to 1, and the seconds that were decoded. */
  onProgress: (part: number, decodedSeconds?: number) => void;
}

/** What ingest does with media: bring it here, and make it ready for the engines. Errors are AppErrors with `media_…` codes. */
export interface MediaIntake {
  /** Brings the media behind a caller's URL to the job's source key. */
  fetch(request: IntakeRequest & { url: string }): Promise<{ sizeBytes: number; sha256: string }>;
  /** Probes and decodes the job's source and stores its chunks and their plan. */
  prepare(request: IntakeRequest & { options: RecognitionOptions; reserveSeconds: (seconds: number) => Promise<void> }): Promise<PlannedMedia & { warnings: readonly common.Warning[] }>;
}

export interface MediaIntakeOptions {
  fetcher: MediaFetcher;
  pipeline: MediaPipeline;
  lengths: ChunkLengths;
  /** No chunk is longer, whatever the settings say. */
  engineLimit: EngineLimit;
  maxDurationSeconds: number;
  maxBytes: number;
  storageLeft: StorageLeft;
}

export function createMediaIntake({ fetcher, pipeline, lengths, engineLimit, maxDurationSeconds: byDefault, maxBytes: maxBytesByDefault, storageLeft }: MediaIntakeOptions): MediaIntake {
  return {
    fetch: ({ accountId, jobId, url, signal, limits: { bytes = maxBytesByDefault } = {}, onProgress }) =>
      inSpan('fetch media', { kind: 'client', attributes: { 'parlance.job_id': jobId, 'server.address': new URL(url).hostname } }, async (span) => {
        const left = (await storageLeft(accountId)) ?? Infinity;
        if (left === 0) throw storageExhausted();
        const fetching = fetcher.fetchInto(mediaKeys(accountId, jobId).source, url, {
          signal,
          maxBytes: Math.min(bytes, left),
          onProgress: ({ receivedBytes, totalBytes }) => onProgress(totalBytes ? receivedBytes / totalBytes : 0),
        });
        const fetched = await fetching.catch((error: unknown) => {
          throw left < bytes && toAppError(error).code === 'media_too_large' ? storageExhausted(error) : error;
        });
        span.set({ 'http.response.body.size': fetched.sizeBytes });
        return fetched;
      }),
    prepare: async ({ accountId, jobId, options, signal, limits: { seconds: maxDurationSeconds = byDefault } = {}, reserveSeconds, onProgress }) => {
      const maxSeconds = Math.min(lengths.maxSeconds, (await engineLimit()) ?? Infinity);
      return pipeline.prepare({ accountId, jobId, options, signal, reserveSeconds, onProgress, lengths: { ...lengths, maxSeconds }, maxDurationSeconds });
    },
  };
}

const storageExhausted = (cause?: unknown): AppError =>
  new AppError({ kind: 'payment_required', code: 'storage_quota_exhausted', message: 'The media files of the account take up all bytes that its plan allows.', retryable: false, cause });
