import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys, type common } from '@parlance/contracts';
import { AppError, inSpan, SecretBox, toAppError } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { PutResult } from '@parlance/storage';
import type { RecognitionOptions } from '@parlance/transcript';
import type { IngestConfig } from '../../ingest.config.js';
import type { PlannedMedia } from '../../jobs/state/job-input.js';
import type { MediaLimits } from '../../jobs/state/job.js';
import { LiveRecording } from '../live/live-recording.js';
import { mediaError } from '../media-error.js';
import type { MediaFetcher } from '../media-fetcher.js';
import type { MediaPipeline } from '../media-pipeline.js';
import { MEDIA_FETCHER, MEDIA_PIPELINE } from '../media.providers.js';
import type { OpenSealed } from '../scratch-source.js';
import { EngineLimit } from './engine-limit.js';
import { StorageLeft } from './storage-left.js';

interface IntakeRequest {
  accountId: string;
  jobId: string;
  signal: AbortSignal;
  /** Limits of the account's plan, in place of those of the settings. */
  limits?: MediaLimits | undefined;
  /** Receives the part of this step that is done, 0 to 1, and the seconds that were decoded. */
  onProgress: (part: number, decodedSeconds?: number) => void;
}

interface PreparationRequest extends IntakeRequest {
  options: RecognitionOptions;
  channels?: common.ChannelOptions | undefined;
  tracks?: number | undefined;
  reserveSeconds: (seconds: number) => Promise<void>;
  /** The audio of a live session, whose pieces are joined first; absent for every other job. */
  live?: common.LiveAudio | undefined;
  /** Opens a recording that its client encrypted. */
  openSealed?: OpenSealed | undefined;
  /** True when no engine gets the audio: the media was transcribed already, or its words are those of a live session. */
  isTranscribed?: boolean;
}

type IntakeConfig = Pick<IngestConfig, 'CHUNK_IDEAL_SECONDS' | 'CHUNK_MAX_SECONDS' | 'MEDIA_MAX_BYTES' | 'MEDIA_MAX_DURATION_SECONDS'> & Partial<Pick<IngestConfig, 'SECRETS_KEY'>>;

/** The gateway ends a live session in time, and what it accepted is not refused afterwards. This bounds what a small container can unpack to. */
const MAX_LIVE_SECONDS = 24 * 60 * 60;

/** Downloads media and prepares it for the engines. Errors are AppErrors with `media_…` codes. */
@Injectable()
export class MediaIntake {
  constructor(
    @Inject(CONFIG) private readonly config: IntakeConfig,
    @Inject(MEDIA_FETCHER) private readonly fetcher: MediaFetcher,
    @Inject(MEDIA_PIPELINE) private readonly pipeline: MediaPipeline,
    @Inject(EngineLimit) private readonly engineLimit: Pick<EngineLimit, 'seconds'>,
    @Inject(StorageLeft) private readonly storageLeft: Pick<StorageLeft, 'bytes'>,
    @Inject(LiveRecording) private readonly liveRecording: Pick<LiveRecording, 'join'>,
  ) {}

  /** Downloads the media of a caller's URL to the source key of the job. */
  fetch({ accountId, jobId, url, signal, limits: { bytes = this.config.MEDIA_MAX_BYTES } = {}, sealedHeaders, onProgress }: IntakeRequest & { url: string; sealedHeaders?: string | undefined }): Promise<PutResult> {
    const attributes = { 'parlance.job_id': jobId, 'server.address': new URL(url).hostname };
    return inSpan('fetch media', { kind: 'client', attributes }, async (span) => {
      const left = (await this.storageLeft.bytes(accountId)) ?? Infinity;
      if (left === 0) throw storageExhausted();
      const headers = sealedHeaders === undefined ? undefined : this.headersOf(sealedHeaders, `${accountId}/${jobId}`);
      const fetching = this.fetcher.fetchInto(mediaKeys(accountId, jobId).source, url, {
        signal,
        headers,
        maxBytes: Math.min(bytes, left),
        onProgress: ({ receivedBytes, totalBytes }) => onProgress(totalBytes ? receivedBytes / totalBytes : 0),
      });
      const fetched = await fetching.catch((error: unknown) => {
        throw left < bytes && toAppError(error).code === 'media_too_large' ? storageExhausted(error) : error;
      });
      span.set({ 'http.response.body.size': fetched.sizeBytes });
      return fetched;
    });
  }

  private headersOf(sealed: string, context: string): Record<string, string> {
    const opened = SecretBox.of(this.config)?.open(sealed, context);
    if (opened === undefined) throw mediaError('media_unauthorized', 'The headers for the media server can no longer be read: the key of this server has changed.', { retryable: false });
    return JSON.parse(opened) as Record<string, string>;
  }

  /** Probes and decodes the source of the job, and stores its chunks and their plan. No chunk is longer than the engine accepts. */
  async prepare({ limits, isTranscribed = false, live, ...request }: PreparationRequest): Promise<PlannedMedia & { warnings: readonly common.Warning[] }> {
    const { CHUNK_IDEAL_SECONDS: idealSeconds, CHUNK_MAX_SECONDS, MEDIA_MAX_DURATION_SECONDS } = this.config;
    if (live) await this.liveRecording.join({ ...request, audio: live });
    const maxSeconds = Math.min(CHUNK_MAX_SECONDS, (await this.engineSeconds(request.options.model, isTranscribed)) ?? Infinity);
    const maxDurationSeconds = live ? MAX_LIVE_SECONDS : (limits?.seconds ?? MEDIA_MAX_DURATION_SECONDS);
    return this.pipeline.prepare({ ...request, lengths: { idealSeconds, maxSeconds }, maxDurationSeconds });
  }

  /** An engine that was removed sets no limit to audio that is not transcribed any more. */
  private async engineSeconds(model: string | undefined, isTranscribed: boolean): Promise<number | undefined> {
    try {
      return await this.engineLimit.seconds(model);
    } catch (error) {
      if (isTranscribed && toAppError(error).code === 'model_unknown') return undefined;
      throw error;
    }
  }
}

const storageExhausted = (cause?: unknown): AppError =>
  new AppError({ kind: 'payment_required', code: 'storage_quota_exhausted', message: 'The media files of the account take up all bytes that its plan allows.', retryable: false, cause });
