import type { common } from '@parlance/contracts';
import type { ChunkLengths } from '../media/chunk-planner.js';
import type { MediaFetcher, MediaPipeline } from '../media/index.js';
import { mediaKeys } from '../media/index.js';
import type { PlannedMedia } from '../jobs/job-input.js';

export interface IntakeRequest {
  accountId: string;
  jobId: string;
  signal: AbortSignal;
  /** Hears how much of this step is done, 0 to 1. */
  onProgress: (part: number) => void;
}

/** What ingest does with media: bring it here, and make it ready for the engines. Errors are AppErrors with `media_…` codes. */
export interface MediaIntake {
  /** Brings the media behind a caller's URL to the job's source key. */
  fetch(request: IntakeRequest & { url: string }): Promise<{ sizeBytes: number; sha256: string }>;
  /** Probes and decodes the job's source and stores its chunks and their plan. */
  prepare(request: IntakeRequest): Promise<PlannedMedia & { warnings: readonly common.Warning[] }>;
}

export interface MediaIntakeOptions {
  fetcher: MediaFetcher;
  pipeline: MediaPipeline;
  lengths: ChunkLengths;
  maxDurationSeconds: number;
}

export function createMediaIntake({ fetcher, pipeline, lengths, maxDurationSeconds }: MediaIntakeOptions): MediaIntake {
  return {
    fetch: ({ accountId, jobId, url, signal, onProgress }) =>
      fetcher.fetchInto(mediaKeys(accountId, jobId).source, url, {
        signal,
        onProgress: ({ receivedBytes, totalBytes }) => onProgress(totalBytes ? receivedBytes / totalBytes : 0),
      }),
    prepare: ({ accountId, jobId, signal, onProgress }) =>
      pipeline.prepare({ accountId, jobId, signal, onProgress, lengths, maxDurationSeconds }),
  };
}
