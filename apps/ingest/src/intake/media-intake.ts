import type { common } from '@parlance/contracts';
import { inSpan } from '@parlance/platform';
import type { RecognitionOptions } from '@parlance/transcript';
import type { ChunkLengths } from '../media/chunk-planner.js';
import type { MediaFetcher, MediaPipeline } from '../media/index.js';
import type { EngineLimit } from './engine-limit.js';
import { mediaKeys } from '../media/index.js';
import type { MediaLimits } from '../jobs/job.js';
import type { PlannedMedia } from '../jobs/job-input.js';

export interface IntakeRequest {
  accountId: string;
  jobId: string;
  signal: AbortSignal;
  /** In place of the settings'. */
  limits?: MediaLimits | undefined;
  /** Hears how much of this step is done, 0 to 1. */
  onProgress: (part: number) => void;
}

/** What ingest does with media: bring it here, and make it ready for the engines. Errors are AppErrors with `media_…` codes. */
export interface MediaIntake {
  /** Brings the media behind a caller's URL to the job's source key. */
  fetch(request: IntakeRequest & { url: string }): Promise<{ sizeBytes: number; sha256: string }>;
  /** Probes and decodes the job's source and stores its chunks and their plan. */
  prepare(request: IntakeRequest & { options: RecognitionOptions }): Promise<PlannedMedia & { warnings: readonly common.Warning[] }>;
}

export interface MediaIntakeOptions {
  fetcher: MediaFetcher;
  pipeline: MediaPipeline;
  lengths: ChunkLengths;
  /** No chunk is longer, whatever the settings say. */
  engineLimit: EngineLimit;
  maxDurationSeconds: number;
}

export function createMediaIntake({ fetcher, pipeline, lengths, engineLimit, maxDurationSeconds: byDefault }: MediaIntakeOptions): MediaIntake {
  return {
    fetch: ({ accountId, jobId, url, signal, limits: { bytes } = {}, onProgress }) =>
      inSpan('fetch media', { kind: 'client', attributes: { 'parlance.job_id': jobId, 'server.address': new URL(url).hostname } }, async (span) => {
        const fetched = await fetcher.fetchInto(mediaKeys(accountId, jobId).source, url, {
          signal,
          ...(bytes !== undefined && { maxBytes: bytes }),
          onProgress: ({ receivedBytes, totalBytes }) => onProgress(totalBytes ? receivedBytes / totalBytes : 0),
        });
        span.set({ 'http.response.body.size': fetched.sizeBytes });
        return fetched;
      }),
    prepare: async ({ accountId, jobId, options, signal, limits: { seconds: maxDurationSeconds = byDefault } = {}, onProgress }) => {
      const maxSeconds = Math.min(lengths.maxSeconds, (await engineLimit()) ?? Infinity);
      return pipeline.prepare({ accountId, jobId, options, signal, onProgress, lengths: { ...lengths, maxSeconds }, maxDurationSeconds });
    },
  };
}
